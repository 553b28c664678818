"use strict";
// Long tables and statements wait in templates until somebody asks for them.
document.addEventListener("toggle", (event) => {
  const details = event.target;
  if (!details.open || !details.classList.contains("late")) return;
  const own = details.querySelector(":scope > template");
  const waiting = own || document.getElementById(details.dataset.of);
  if (waiting && !details.dataset.shown) details.append(waiting.content.cloneNode(true));
  details.dataset.shown = "yes";
}, true);
// A link to a claim opens it, and what it is folded into.
const opened = () => {
  const claim = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!claim || claim.tagName !== "DETAILS") return;
  for (let around = claim; around; around = around.parentElement.closest("details")) around.open = true;
  claim.scrollIntoView();
};
addEventListener("hashchange", opened);
opened();
const filter = document.querySelector(".filter");
if (filter) {
  const rows = [...document.querySelectorAll("#rows tr")];
  const count = filter.querySelector("output");
  filter.addEventListener("input", () => {
    const wanted = Object.fromEntries(new FormData(filter));
    const words = wanted.words.toLowerCase();
    for (const part of document.querySelectorAll("details.part")) part.open = true;
    let seen = 0;
    for (const row of rows) {
      const claim = document.getElementById(row.querySelector("a").hash.slice(1));
      const text = `${row.textContent} ${claim.querySelector("p").textContent}`.toLowerCase();
      const fits = (!wanted.verdict || claim.dataset.verdict === wanted.verdict)
        && (!wanted.statement || claim.dataset.of.split(" ").includes(wanted.statement))
        && (!wanted.evidence || claim.dataset.evidence.split(", ").includes(wanted.evidence))
        && (!words || text.includes(words));
      row.hidden = claim.hidden = !fits;
      seen += fits;
    }
    count.textContent = `${seen} claims`;
  });
  filter.addEventListener("submit", (event) => event.preventDefault());
}
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector("pre").textContent);
    button.textContent = "copied";
  });
}
