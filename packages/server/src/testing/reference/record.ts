import { readFile, writeFile } from 'node:fs/promises';
import { answersFile } from '../../http/openapi/document.ts';

/** Writes answers into the file that the reference shows them from; those of other calls stay. */
export async function record(answers: Readonly<Record<string, unknown>>): Promise<void> {
  const known = JSON.parse(await readFile(answersFile, 'utf8')) as object;
  await writeFile(answersFile, `${JSON.stringify({ ...known, ...answers }, null, 2)}\n`);
}
