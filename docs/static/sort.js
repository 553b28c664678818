// A click on the head of a column sorts the table by it, a second one the other way round.
document.addEventListener('click', event => {
  const head = event.target.closest('main thead th, [role=main] thead th'), body = head?.closest('table').tBodies[0];
  if (!body) return;
  const column = head.cellIndex, down = head.getAttribute('aria-sort') === 'ascending';
  const text = row => row.cells[column]?.textContent.trim() ?? '', number = row => Number(text(row).replaceAll(',', '').replace('∞', 'Infinity') || NaN);
  const order = (a, b) => {
    const [u, v] = [number(a), number(b)];
    if (Number.isNaN(u) !== Number.isNaN(v)) return Number.isNaN(u) ? 1 : -1;  // what has no number comes last
    return (down ? -1 : 1) * (Number.isNaN(u) ? text(a).localeCompare(text(b)) : u - v);
  };
  for (const each of head.parentElement.cells) each.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  body.append(...[...body.rows].sort(order));
});
