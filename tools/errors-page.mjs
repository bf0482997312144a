// docs/errors.md from the table of relay errors in the contract. `node tools/errors-page.mjs` writes it; check-shape
// compares it, so that the page never says what the server does not answer.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { relayErrors } from '../packages/contract/src/relay-errors/index.ts';

const head = `# Errors of relay calls

<!-- Written by tools/errors-page.mjs from packages/contract/src/relay-errors. Change it there. -->

Every error that a relay call answers in words of Tollgate's own. An error of an upstream passes in the upstream's words
and is not listed. The shape is that of the caller's protocol ([endpoints](endpoints.md)); \`code\` and status are the same in
each of them, and do not change. \`{name}\` stands for a value.

**Language.** A caller whose \`Accept-Language\` names Chinese or English is answered in it; others in the option
*Default language*, or in English where that is automatic.

**Retries.** \`x-should-retry: false\` is sent with every error that the same request would get again.

**Want of quota** (402). With the option *Status 402 for want of quota*, errors marked so have this status and the vendors'
codes: \`insufficient_quota\`, \`billing_error\`, \`RESOURCE_EXHAUSTED\`.

**Whose fault.** *caller*: the same request fails again. *channel*: the upstream failed, and another channel was tried where
there was one. *ours*: Tollgate itself; the same request may succeed later (\`Retry-After\` says when, where that is known).

| Status | \`code\` | Whose fault | Chinese | English |
| --- | --- | --- | --- | --- |
`;

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*');

/** The page, byte for byte. */
export function errorsPage() {
  const rows = Object.entries(relayErrors)
    .map(([name, entry]) => ({ name, code: entry.code ?? name, ...entry }))
    .toSorted((a, b) => a.status - b.status || a.code.localeCompare(b.code) || a.name.localeCompare(b.name))
    .map(({ status, code, blame, zh, en, isBilling }) => {
      const shown = code === '' ? '(empty)' : `\`${code}\``;
      return `| ${status}${isBilling ? ' (402)' : ''} | ${shown} | ${blame} | ${cell(zh)} | ${cell(en)} |`;
    });
  return `${head}${rows.join('\n')}\n`;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, '../docs/errors.md'), errorsPage());
}
