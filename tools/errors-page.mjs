// Makes docs/errors.md and its Chinese page from the table of relay errors in the contract. `node tools/errors-page.mjs` writes
// them; check-shape compares them, so that they list exactly the errors that the server answers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { product } from '../packages/contract/src/product.ts';
import { relayErrors } from '../packages/contract/src/relay-errors/index.ts';

const words = {
  en: {
    empty: '(empty)',
    billing: ' (402)',
    separator: ', ',
    head: `# Errors of relay calls

<!-- Written by tools/errors-page.mjs from packages/contract/src/relay-errors. Change it there. -->

The codes of ${product.name}'s own errors. An upstream's error passes unchanged and is not listed. The shape is that of the caller's
protocol ([endpoints](endpoints.md)); code and status do not change. \`packages/contract/src/relay-errors\`
has the messages in both languages.

- **Language:** Chinese or English by \`Accept-Language\`; otherwise the option *Default language*, or English.
- **Retries:** \`x-should-retry: false\` marks errors that the same request would get again.
- **(402):** the status with the option *Status 402 for want of quota*; the code is then the vendor's own (\`insufficient_quota\`,
  \`billing_error\`, \`RESOURCE_EXHAUSTED\`).

At fault is the **caller** (the same request fails again), the **channel** (another one was tried where there was one), or
**${product.name}** (the request may succeed later; \`Retry-After\` says when, if known).

| Status | Caller | Channel | ${product.name} |
| --- | --- | --- | --- |
`,
  },
  zh: {
    empty: '（空）',
    billing: '（402）',
    separator: '、',
    head: `# 转发调用的错误

<!-- 由 tools/errors-page.mjs 根据 packages/contract/src/relay-errors 生成，请在那里修改。 -->

这里是 ${product.name} 自身错误的代码。上游的错误原样通过，不在此列。格式是调用方协议的格式（[接口](endpoints.md)）；代码和状态不变。
\`packages/contract/src/relay-errors\` 有两种语言的消息。

- **语言：** 按 \`Accept-Language\` 用中文或英文；否则按设置*默认语言*，或用英文。
- **重试：** \`x-should-retry: false\` 标出同样的请求会再次得到的错误。
- **（402）：** 开启设置*额度不足时返回 402* 时的状态；这时代码是厂商自己的（\`insufficient_quota\`、\`billing_error\`、
  \`RESOURCE_EXHAUSTED\`）。

出错的一方是**调用方**（同样的请求会再次失败）、**渠道**（有其他渠道时已经试过），或 **${product.name}**（请求稍后可能成功；如果知道时间，
\`Retry-After\` 会说明）。

| 状态 | 调用方 | 渠道 | ${product.name} |
| --- | --- | --- | --- |
`,
  },
};

const byText = (one, other) => (one < other ? -1 : Number(one > other));

/** The exact text of the page in a language. */
export function errorsPage(language) {
  const { head, empty, billing, separator } = words[language];
  const entries = Object.entries(relayErrors).map(([name, entry]) => ({
    name,
    code: entry.code ?? name,
    ...entry,
  }));
  const statuses = [...new Set(entries.map(({ status }) => status))].toSorted((a, b) => a - b);
  const codes = (status, blame) => {
    const found = entries.filter((entry) => entry.status === status && entry.blame === blame);
    const shown = found.map(({ code, isBilling }) => {
      const text = code === '' ? empty : `\`${code}\``;
      return isBilling ? text + billing : text;
    });
    return [...new Set(shown)].toSorted(byText).join(separator);
  };
  const row = (status) =>
    `| ${[status, ...['caller', 'channel', 'ours'].map((blame) => codes(status, blame))].join(' | ')} |`;
  return `${head}${statuses.map(row).join('\n')}\n`;
}

/** Language → file of the page. */
export const errorsFiles = { en: 'docs/errors.md', zh: 'docs/zh/errors.md' };

if (process.argv[1] === import.meta.filename) {
  for (const [language, file] of Object.entries(errorsFiles))
    writeFileSync(join(import.meta.dirname, '..', file), errorsPage(language));
}
