import { defaultTreeAdapter as tree, type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { describe, expect, it } from 'vitest';
import { cleanMarkup } from './clean.ts';

const banned = /^(script|style|object|embed|applet|base|meta|link|frame|frameset)$/;
const runs = /^(javascript|vbscript|data:text)/;

/** Active content of a fragment as a browser parses it, implemented separately from the code under test. */
function dangersOf(node: DefaultTreeAdapterTypes.Node): string[] {
  const own = tree.isElementNode(node)
    ? [
        ...(banned.test(node.tagName) ? [node.tagName] : []),
        ...node.attrs
          .filter(({ name, value }) => value !== '' && (/^on|^srcdoc$/.test(name) || runs.test(bare(value))))
          .map(({ name }) => `${node.tagName} ${name}`),
      ]
    : [];
  const inside = 'content' in node ? dangersOf(node.content) : [];
  const children = 'childNodes' in node ? node.childNodes.flatMap(dangersOf) : [];
  return [...own, ...inside, ...children];
}
const bare = (value: string): string => value.replace(/[\s\p{C}]/gu, '').toLowerCase();
const dangersIn = (text: string): string[] => [
  ...dangersOf(parseFragment(text, { scriptingEnabled: true })),
  ...dangersOf(parseFragment(text, { scriptingEnabled: false })),
];

const attacks = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
  '<script/src=data:,alert(1)>',
  '<scr<script></script>ipt>alert(1)</script>',
  '<scr<scr<script></script>ipt></script>ipt>alert(1)</script>',
  'text\r\n\r\n\u{1F600}<script>alert(1)</script>\r\n',
  '<img src=x onerror=alert(1)>',
  '<img/src="x"/onerror=alert(1)//>',
  '<img src=x onerror="a" onerror="b">',
  '<img src=x o onclick="a"nerror=alert(1) onerror=alert(1)>',
  '<a href="https://a"onclick="x"title="y">z</a>',
  '<body onload=alert(1)>',
  '<html onclick=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<svg><animate attributeName=href values="https://a;javascript:alert(1)"></svg>',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<math><mi xlink:href="javascript:alert(1)">x</mi></math>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<textarea><a title="</textarea><img src=x onerror=alert(1)>"></textarea>',
  '<style><!--</style><script>alert(1)</script>-->',
  '<style>@import "https://evil.example/x.css";</style>',
  '<template><script>alert(1)</script></template>',
  '<select><script>alert(1)</script></select>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href=" \u0001JaVa\tScRiPt:alert(1)">x</a>',
  '<a href="java&#115;cript&colon;alert(1)">x</a>',
  '<a href="java&Tab;script:alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="vbscript:x" href="javascript:alert(1)">x</a>',
  '<form action="javascript:alert(1)"><button formaction="javascript:alert(2)">x</button></form>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe src="data:text/html,x"></iframe>',
  '<object data="data:text/html,x"><p>kept</p></object>',
  '<embed src="https://evil.example/x.swf">',
  '<base href="https://evil.example/">',
  '<meta http-equiv=refresh content="0;url=https://evil.example/">',
  '<link rel=stylesheet href="https://evil.example/x.css">',
  'words\n\n<a title="\n\n<img src=x onerror=alert(1)>\n\n">',
];

describe('active content', () => {
  it.each(attacks)('is removed from %j, and stays removed', (attack) => {
    const clean = cleanMarkup(attack);
    expect(clean).not.toBe(attack);
    expect(dangersIn(clean)).toEqual([]);
    for (const block of clean.split(/\n\s*\n/)) expect(dangersIn(block)).toEqual([]);
    expect(cleanMarkup(clean)).toBe(clean);
  });

  it.each([
    ['<p style="color:red" onclick="x()">hi</p>', '<p style="color:red">hi</p>'],
    ['a <script>b</script> c', 'a  c'],
    ['Put <script> where you want, *then* go on', 'Put  where you want, *then* go on'],
    ['<object data="x"><p>kept</p></object>', '<p>kept</p>'],
    ['<iframe src="https://a" srcdoc="x"></iframe>', '<iframe src="https://a"></iframe>'],
    ['<a href="javascript:x" class=b>c</a>', '<a class=b>c</a>'],
    ['<p style="width:e\\78 pression(alert(1))">x</p>', '<p>x</p>'],
    ['<p style="background:url(\'java/**/script:x\')">x</p>', '<p>x</p>'],
    ['<img src="data:text/html,x" alt=y>', '<img alt=y>'],
    ['[a](javascript:alert)', '[a]()'],
    ['[a](<java&#115;cript:x>)', '[a](<>)'],
    ['[a](javascript\\:x "title")', '[a]( "title")'],
    ['[a](data:image/png;base64,AA)', '[a]()'],
    ['[a]: vbscript:x\n\n[a]', '[a]: \n\n[a]'],
    ['see <javascript:alert(1)> here', 'see  here'],
  ])('is removed alone: %j becomes %j', (source, clean) => {
    expect(cleanMarkup(source)).toBe(clean);
  });

  it.each([3, 19, 60, 500])('is removed however deep it is nested: %i times', (depth) => {
    const clean = cleanMarkup(`${'<'.repeat(depth)}${'object>'.repeat(depth)}[a](javascript:x)`);
    expect(dangersIn(clean)).toEqual([]);
    expect(clean).not.toMatch(/<object|\]\(javascript/);
    expect(cleanMarkup(clean)).toBe(clean);
  });
});

describe('inactive content', () => {
  it.each([
    '',
    'https://status.example/page?a=1&b=<c>',
    '> quote\n> more',
    'a < b and c > d; a <b only if c> d; 1<2',
    '# Title\r\n\r\n* item\r\n* item  \r\n',
    '```ts\nif (a < b && c > d) call<T>();\n```',
    '    indented <code> stays',
    '`<div>` and <https://a.example/x> and <me@a.example>',
    '[a](https://b.example "c"), ![d](data:image/png;base64,iVBORw0KGgo=), [e]: https://f.example',
    '| a | b |\n|---|---|\n| <br> | &lt;script&gt; &amp; |',
    'about javascript: it is a language; data: what we keep',
    '<!-- a note --><P CLASS=x  style = "color:red;background:url(https://a/b.png)">Hi<br/>there',
    '<img src="data:image/svg+xml;base64,AA" alt="">',
    '<a href="/relative?x=javascript:1" title="javascript: the language" target=_blank>x</a>',
    '<iframe src="https://video.example/1"></iframe><form action="/search"><input name=q></form>',
    '<svg viewBox="0 0 1 1"><path d="M0 0"/></svg><b><i>badly</b> nested</i>',
  ])('is kept byte for byte: %j', (source) => {
    expect(cleanMarkup(source)).toBe(source);
  });
});
