/** @module-tag deep */
import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { accessFaults, openPage, openSession, overflows, visit } from './support/browser.ts';
import { openStage } from './support/journeys.ts';
import { type Site } from './support/site.ts';

let site: Site;
let browser: Browser;
openStage((stage) => {
  ({ site, browser } = stage);
});

/** Opens the playground of the administrator with a model. */
async function openPlayground(page: Page, model: string): Promise<void> {
  await openSession(page, site);
  await visit(page, site, `/playground?model=${model}`);
}

const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const answers = (page: Page) => page.getByRole('article');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function say(page: Page, words: string): Promise<void> {
  await field(page).fill(words);
  await field(page).press('Enter');
}

/** Requests of the page to the gateway, newest last. */
function watchRequests(page: Page): Record<string, unknown>[] {
  const sent: Record<string, unknown>[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/pg/chat/completions'))
      sent.push(request.postDataJSON() as Record<string, unknown>);
  });
  return sent;
}

/** A PNG of one pixel. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('models and groups that load late move no other field', async () => {
  const { page } = await openPage(browser);
  await openSession(page, site);
  const { promise: asked, resolve: letCome } = Promise.withResolvers<void>();
  await page.route(/\/api\/(pricing|user\/(self\/groups|models))/, async (route) => {
    await asked;
    await route.continue();
  });
  await visit(page, site, '/playground');
  const prompt = page.getByRole('textbox', { name: 'System prompt' });
  await prompt.waitFor();
  expect(await page.getByLabel('Model', { exact: true }).count()).toBe(0);
  const before = await prompt.boundingBox();
  letCome();
  await page.getByText('list prices').first().waitFor();
  await page
    .getByText(/ out \/ 1M$|^Free$/)
    .first()
    .waitFor();
  expect(await prompt.boundingBox()).toEqual(before);
});

describe('an answer', () => {
  test('streams, is charged as its receipt shows, and survives a reload', async () => {
    const { page, problems } = await openPage(browser);
    const sent = watchRequests(page);
    await openPlayground(page, 'sandbox');
    await say(page, 'Hello there');
    await page.getByText(/^Cost/).waitFor();
    expect(await answers(page).innerText()).toContain('Hello there');
    expect(sent).toMatchObject([
      {
        model: 'sandbox',
        group: 'default',
        stream: true,
        messages: [
          { role: 'system', content: 'You are a helpful assistant.' },
          { role: 'user', content: 'Hello there' },
        ],
      },
    ]);
    expect(sent[0]).not.toHaveProperty('temperature');
    expect(sent[0]).not.toHaveProperty('max_tokens');

    const cost = await page.getByText(/^Cost/).locator('span').innerText();
    expect(cost).toMatch(/^\$0\.000\d{3}$/);
    await page.reload();
    await page.getByText(/^Cost/).waitFor();
    expect(await page.getByText(/^Cost/).locator('span').innerText()).toBe(cost);

    await page.getByRole('link', { name: 'See the receipt' }).click();
    await page.waitForURL('**/log?request=*');
    await button(page, 'Expand').first().click();
    const total = page.locator('table tfoot tr').first();
    await total.waitFor();
    expect(await total.innerText()).toContain(cost);
    expect(problems).toEqual([]);
  });

  test('shows Markdown, and no script of a model runs', async () => {
    const { page, problems } = await openPage(browser);
    await openPlayground(page, 'sandbox-fast');
    await field(page).fill(
      [
        'x',
        '```js',
        'const one = 1;',
        '```',
        '- a **bold** point',
        '',
        '<img src=x onerror="window.broken = true"><script>window.broken = true</script>',
        '[run](javascript:window.broken=true) ![spy](https://elsewhere.invalid/pixel.png)',
      ].join('\n'),
    );
    await field(page).press('Enter');
    await page.getByText(/^Cost/).waitFor();
    const answer = answers(page);
    await answer.locator('.hljs-keyword').getByText('const').waitFor();
    expect(await answer.locator('li strong').innerText()).toBe('bold');
    expect(await answer.locator('img, script').count()).toBe(0);
    expect(await answer.locator('a[href^="javascript"]').count()).toBe(0);
    expect(await answer.getByRole('link', { name: 'spy' }).getAttribute('rel')).toContain('noopener');
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(await accessFaults(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('has its formulas drawn, its table aligned, its tasks marked, and a picture of a diagram on demand', async () => {
    for (const phone of [false, true]) {
      const { page, problems } = await openPage(browser, { phone, theme: phone ? 'dark' : 'light' });
      await openPlayground(page, 'sandbox-fast');
      await field(page).fill(
        [
          String.raw`The root $x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}$ and`,
          String.raw`$$\int_0^1 x^2 \, dx = \sum_{i=1}^n a_i b_i + \sum_{i=1}^n c_i d_i + \sum_{i=1}^n e_i f_i + \sum_{i=1}^n g_i h_i + \int_1^2 f(x) \, dx + \frac{1}{3}$$`,
          '| call | organisation | administrators | reconciliation | price |\n|---|---|---|---|--:|\n| chat | one | two | three | 2 |\n\n- [x] measured\n- [ ] billed',
          '```mermaid\nsequenceDiagram\n  Client->>Gateway: POST https://api.example.com/v1\n  Gateway-->>Client: 200\n```',
          'end',
        ].join('\n\n'),
      );
      await field(page).press('Enter');
      await page.getByText(/^Cost/).waitFor();
      const answer = answers(page);
      await expect.poll(() => answer.locator('math').count()).toBe(2);
      expect(await answer.locator('td[align=right]').innerText()).toBe('2');
      expect(await answer.locator('li').allInnerTexts()).toEqual(['☑ measured', '☐ billed']);
      await button(page, 'Show picture').click();
      const picture = answer.getByRole('img');
      await picture.waitFor();
      expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(200);
      expect(await page.locator('iframe').count()).toBe(0);
      // What is wider than a phone scrolls by itself, and words in its cells stay whole.
      for (const wide of [
        answer.locator('math[display=block]'),
        answer.getByRole('group', { name: 'Table' }),
      ])
        expect(await wide.evaluate((each) => each.scrollWidth > each.clientWidth)).toBe(phone);
      expect(await overflows(page)).toBe(false);
      expect(await accessFaults(page)).toEqual([]);
      expect(problems).toEqual([]);
      await button(page, 'Hide picture').click();
      await picture.waitFor({ state: 'hidden' });
    }
  });

  test.each([
    [
      'a label',
      'graph TD\n  A["<img src=https://elsewhere.invalid/a.png onerror=window.top.broken=1>"] --> B',
    ],
    ['a picture', 'flowchart TD\n  A@{ img: "https://elsewhere.invalid/b.png", label: "x" } --> B'],
    ['a style', 'graph TD\n  A --> B\n  style A fill:url(https://elsewhere.invalid/c.svg)'],
    [
      'the configuration',
      '%%{init: {"securityLevel": "loose", "themeCSS": "@import url(https://elsewhere.invalid/d.css);"}}%%\ngraph TD\n  A --> B\n  click A href "javascript:window.top.broken=1"',
    ],
  ])('runs nothing and loads nothing for a diagram that names another host in %s', async (_, code) => {
    const { page } = await openPage(browser);
    const loaded: string[] = [];
    await page.route('https://elsewhere.invalid/**', async (route) => {
      loaded.push(route.request().url());
      await route.abort();
    });
    await openPlayground(page, 'sandbox-fast');
    await field(page).fill(`x\n\`\`\`mermaid\n${code}\n\`\`\`\n\nend`);
    await field(page).press('Enter');
    await page.getByText(/^Cost/).waitFor();
    await button(page, 'Show picture').click();
    await answers(page).getByRole('img').or(page.getByText('No picture can be drawn')).first().waitFor();
    expect(loaded).toEqual([]);
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(await answers(page).locator('svg:not([aria-hidden]), script').count()).toBe(0);
  });

  test('folds reasoning', async () => {
    const { page } = await openPage(browser);
    await openPlayground(page, 'sandbox-think');
    await say(page, 'Think');
    const summary = page.getByText(/^Thought for/);
    await summary.waitFor();
    const thoughts = summary.locator('xpath=following-sibling::div');
    expect(await thoughts.isVisible()).toBe(false);
    await summary.click();
    expect(await thoughts.innerText()).not.toBe('');
  });

  test('is stopped by Esc, keeps its text, and the delivered text is charged', async () => {
    const { page } = await openPage(browser);
    await openPlayground(page, 'sandbox-slow');
    await say(page, 'Take your time');
    await answers(page).getByText('This').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Stopped').first().waitFor();
    const kept = await answers(page).innerText();
    expect(kept).toContain('This');
    expect(kept).not.toContain('Take your time');
    await page.getByText(/^Cost/).waitFor();
    await button(page, 'Send').waitFor();
  });

  test('that broke off or was refused shows the reason, and can be repeated', async () => {
    const { page } = await openPage(browser);
    const sent = watchRequests(page);
    await openPlayground(page, 'sandbox-cut');
    await say(page, 'Break');
    await page.getByText('The vendor disconnected').waitFor();
    await page.getByText(/^Cost/).waitFor();
    await button(page, 'Try again').click();
    await page.getByText('The vendor disconnected').waitFor();
    await expect.poll(() => sent.length).toBe(2);
    expect(sent[1]).toEqual(sent[0]);
    expect(await answers(page).count()).toBe(1);

    await visit(page, site, '/playground?model=sandbox-fail-429');
    await say(page, 'Refuse');
    await page.getByText('The vendor is busy').waitFor();
    await button(page, 'New chat').click();
    await page.getByRole('dialog').getByRole('button', { name: 'New chat' }).click();
    await page.getByRole('group', { name: 'Try one of these' }).waitFor();
    expect(await answers(page).count()).toBe(0);
  });
});

test('is generated anew for an edited question, on request, and after the context was cleared', async () => {
  const { page, problems } = await openPage(browser);
  const sent = watchRequests(page);
  const contents = () =>
    ((sent.at(-1)?.messages ?? []) as { role: string; content: string }[])
      .filter(({ role }) => role === 'user')
      .map(({ content }) => content);
  await openPlayground(page, 'sandbox-fast');
  const done = async (count: number) => {
    await expect.poll(() => page.getByText(/^Cost/).count()).toBe(count);
  };
  await say(page, 'First');
  await done(1);
  await say(page, 'Second');
  await done(2);
  expect(contents()).toEqual(['First', 'Second']);

  await button(page, 'Edit').last().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Edit the message' }).fill('Changed');
  await page.keyboard.press('Enter');
  await expect.poll(() => sent.length).toBe(3);
  await done(2);
  expect(contents()).toEqual(['First', 'Changed']);

  await button(page, 'Regenerate').first().click();
  await expect.poll(() => sent.length).toBe(4);
  await done(1);
  expect(contents()).toEqual(['First']);

  await button(page, 'Clear context').click();
  await page.getByText('Context cleared').waitFor();
  await say(page, 'Afresh');
  await done(2);
  expect(contents()).toEqual(['Afresh']);
  expect(problems).toEqual([]);
});

test('is requested with the chosen parameters, system prompt and images', async () => {
  const { page, problems } = await openPage(browser);
  const sent = watchRequests(page);
  await openPlayground(page, 'sandbox-fast');
  await page.getByRole('slider', { name: 'Temperature' }).focus();
  for (let step = 0; step < 7; step += 1) await page.keyboard.press('ArrowLeft');
  await page.getByRole('textbox', { name: 'Max tokens' }).fill('256');
  await page.getByRole('textbox', { name: 'System prompt' }).fill('');
  await page.locator('input[type=file]').setInputFiles([
    { name: 'pixel.png', mimeType: 'image/png', buffer: Buffer.from(pixel, 'base64') },
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no image') },
  ]);
  await page.getByText('Only PNG, JPEG, WebP and GIF images can be added').waitFor();
  await page.getByRole('img', { name: 'Image 1' }).waitFor();
  await say(page, 'What is this?');
  await page.getByText(/^Cost/).waitFor();
  expect(sent).toMatchObject([
    {
      temperature: 0.3,
      max_tokens: 256,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
          ],
        },
      ],
    },
  ]);

  await button(page, 'Raw data').click();
  const raw = page.getByRole('dialog');
  expect(await raw.innerText()).toContain('"max_tokens": 256');
  await raw.getByRole('tab', { name: 'curl' }).click();
  expect(await raw.innerText()).toContain(`curl ${site.url}/v1/chat/completions`);
  await raw.getByRole('tab', { name: 'Stream' }).click();
  expect(await raw.innerText()).toContain('data: [DONE]');
  expect(problems).toEqual([]);
});

test('is deleted with the conversation at log-out', async () => {
  const { page } = await openPage(browser);
  await openPlayground(page, 'sandbox-fast');
  await say(page, 'A secret of mine');
  await page.getByText(/^Cost/).waitFor();
  await button(page, 'Account: Root User').click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.waitForURL('**/login');
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('A secret of mine');
});

test('on a phone has its panel as a sheet and nothing overflows', async () => {
  const { page, problems } = await openPage(browser, { phone: true, theme: 'dark' });
  await openPlayground(page, 'sandbox-fast');
  expect(await page.getByRole('slider', { name: 'Temperature' }).isVisible()).toBe(false);
  await button(page, 'Show settings').click();
  await page.getByRole('slider', { name: 'Temperature' }).waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('slider', { name: 'Temperature' }).waitFor({ state: 'hidden' });
  await say(page, `A long word: ${'x'.repeat(300)}`);
  await page.getByText(/^Cost/).waitFor();
  expect(await overflows(page)).toBe(false);
  // The tooltip of the last pressed button is not part of the page.
  await page.mouse.move(0, 0);
  await page.evaluate('document.activeElement?.blur()');
  await page.getByRole('tooltip').waitFor({ state: 'hidden' });
  expect(await accessFaults(page)).toEqual([]);
  expect(problems).toEqual([]);
});
