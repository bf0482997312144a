// Makes docs/errors.md from the table of relay errors in the contract. `node tools/errors-page.mjs` writes it; check-shape
// compares it, so that the page lists exactly the errors that the server answers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { product } from '../packages/contract/src/product.ts';
import { relayErrors } from '../packages/contract/src/relay-errors/index.ts';

const head = `# Errors of relay calls

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
`;

/** The exact text of the page. */
export function errorsPage() {
  const entries = Object.entries(relayErrors).map(([name, entry]) => ({
    name,
    code: entry.code ?? name,
    ...entry,
  }));
  const statuses = [...new Set(entries.map(({ status }) => status))].toSorted((a, b) => a - b);
  const codes = (status, blame) => {
    const found = entries.filter((entry) => entry.status === status && entry.blame === blame);
    const shown = found.map(({ code, isBilling }) => {
      const text = code === '' ? '(empty)' : `\`${code}\``;
      return isBilling ? `${text} (402)` : text;
    });
    return [...new Set(shown)].toSorted().join(', ');
  };
  const row = (status) =>
    `| ${[status, ...['caller', 'channel', 'ours'].map((blame) => codes(status, blame))].join(' | ')} |`;
  return `${head}${statuses.map(row).join('\n')}\n`;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, '../docs/errors.md'), errorsPage());
}
