import { createReadStream, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { product, receiptKeysPath } from '@tollgate/contract';
import { type Checked, loadChecker } from '../services/money/receipts/index.ts';

const usage = `Verifies signed receipts: one, several, or the file of a month.

  verify FILE --keys KEYS     with keys in a file, without a network
  verify FILE --site URL      with the keys that the site publishes at ${receiptKeysPath}

FILE has a line for each receipt; - reads the standard input. Only the file of a month shows that none is missing: --month
refuses any other. --json prints the result. Exits with 0 if all is valid, with 1 if anything is wrong, and with 2 if it could
not be checked.
`;

const options = {
  keys: { type: 'string' },
  site: { type: 'string' },
  month: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** Time for the answer of a site. */
const siteMs = 30_000;

async function fetchKeys(site: string): Promise<string> {
  const url = new URL(receiptKeysPath, site).href;
  const answer = await fetch(url, { signal: AbortSignal.timeout(siteMs) });
  if (!answer.ok) throw new Error(`${url} answers with ${answer.status}`);
  return answer.text();
}

/** The lines of a file. Only LF ends one: texts in receipts may have the line ends of Unicode. Throws if it is no UTF-8. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest = '';
  for await (const chunk of input) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [file, ...others] = positionals;
  if (values.help) return void process.stdout.write(usage);
  if (file === undefined) throw new Error('no file is given: --help shows how');
  if (others.length > 0) throw new Error('one file is verified at a time');
  if ((values.keys === undefined) === (values.site === undefined))
    throw new Error('the keys are missing: give --keys FILE or --site URL');
  const { readKeys, ReceiptChecker } = await loadChecker();
  const text =
    values.site === undefined ? readFileSync(values.keys ?? '', 'utf8') : await fetchKeys(values.site);
  const checker = new ReceiptChecker(readKeys(text));
  const input = file === '-' ? process.stdin : createReadStream(file);
  for await (const line of linesOf(input)) checker.add(line);
  const checked = checker.end();
  if (values.month && checked.kind !== 'month') {
    checked.valid = false;
    checked.problems.push({ line: 0, text: 'it is not the file of a month' });
  }
  print(checked, values.json === true);
  if (!checked.valid) process.exitCode = 1;
}

function print(checked: Checked, isJson: boolean): void {
  if (isJson) return void process.stdout.write(`${JSON.stringify(checked, null, 2)}\n`);
  const { head, receipts, charged, moved, problems, valid } = checked;
  for (const { line, text } of problems)
    process.stdout.write(`${line === 0 ? 'File' : `Line ${line}`}: ${text}\n`);
  const about = head
    ? [
        `Account ${head.account}, ${head.month} (${head.time_zone}), receipts ${head.first} to ${head.last}`,
        `Opening balance ${head.opening ?? 'unknown'}, closing balance ${head.closing ?? 'unknown'}`,
        ...(head.pending > 0 ? [`Entries without a receipt yet: ${head.pending}`] : []),
      ]
    : ['Separate receipts: the file does not show whether others are missing'];
  const lines = [
    ...about,
    `Receipts ${receipts}, charged ${charged}, other movements ${moved} (quota units)`,
  ];
  process.stdout.write(`${lines.join('\n')}\n${valid ? 'VALID' : 'NOT VALID'}\n`);
}

main().catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${product.name} could not verify it: ${reason}\n`);
  process.exit(2);
});
