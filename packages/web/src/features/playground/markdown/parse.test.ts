import { describe, expect, test } from 'vitest';
import { blocksOf, htmlOf } from './parse.ts';

const html = (source: string) => blocksOf(source).map(htmlOf).join('');

describe('the text of a model', () => {
  test('with HTML stays text', () => {
    expect(html('<script>alert(1)</script>')).not.toContain('<script');
    expect(html('a <img src=x onerror=alert(1)> b')).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });

  test('with a picture from elsewhere has a link that is followed only by hand', () => {
    const shown = html('![spy "x"](https://elsewhere.invalid/p?secret=1)');
    expect(shown).not.toContain('<img');
    expect(shown).toContain('<a href="https://elsewhere.invalid/p?secret=1">');
  });

  test('with an embedded picture shows it', () => {
    expect(html('![dot](data:image/png;base64,AA)')).toContain(
      '<img src="data:image/png;base64,AA" alt="dot">',
    );
  });

  test('with a task list shows what is done, without form fields', () => {
    const shown = html('- [x] done\n- [ ] open');
    expect(shown).toContain('☑');
    expect(shown).toContain('☐');
    expect(shown).not.toContain('<input');
  });

  test.each([
    String.raw`$\int_0^1 x\,dx$`,
    String.raw`\(a\_b \cdot c\)`,
    String.raw`$$\begin{matrix} a & b \\ c \end{matrix}$$`,
    String.raw`\[\{x \mid x *y* z\}\]`,
  ])('with the formula %s shows it as it was written', (source) => {
    expect(html(`so ${source} holds`)).toContain(source.replaceAll('&', '&amp;'));
  });

  test('with amounts of money has no formula in them', () => {
    expect(html('$5 and **$6**')).toContain('$5 and <strong>$6</strong>');
  });

  test('with a table keeps the side of its columns', () => {
    expect(html('| a |\n|---:|\n| 1 |')).toContain('<td align="right">1</td>');
  });

  test('that is incomplete is parsed as far as it goes', () => {
    const source = 'Words\n\n```js\nconst a = 1;';
    expect(blocksOf(source).map(({ type }) => type)).toEqual(['paragraph', 'space', 'code']);
    expect(() => html(`${source}\n| a |\n|--`)).not.toThrow();
  });

  test('keeps its finished blocks unchanged while the end grows', () => {
    const early = blocksOf('One\n\n- two\n\nThr');
    const late = blocksOf('One\n\n- two\n\nThree **more**');
    expect(late.slice(0, 2).map(({ raw }) => raw)).toEqual(early.slice(0, 2).map(({ raw }) => raw));
  });
});
