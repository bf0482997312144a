import { mkdir, writeFile } from 'node:fs/promises';
import {
  answerKeys,
  answersFile,
  answersFolder,
  recordedAnswers,
} from '../../http/openapi/recorded-answers.ts';
import type { RecordedAnswers } from '../../http/openapi/shape/types.ts';

const kindOf = (value: unknown): string => (value === null ? 'null' : typeof value);

/** True when both have the same members of the same kinds: they differ in moments, keys and the like alone. */
function sameShape(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return kindOf(one) === kindOf(other);
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.join('\n') === Object.keys(other).join('\n') &&
    names.every((name) =>
      sameShape((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]),
    )
  );
}

/**
 * Writes answers into the files that the reference shows them from. Those of other calls stay, those of calls that are
 * gone go. An answer of the same shape stays too, so that a record changes what has changed alone; `all` writes it anew.
 */
export async function record(answers: RecordedAnswers, which: string): Promise<void> {
  const known = recordedAnswers();
  const keep = (key: string): boolean =>
    !(key in answers) || (which !== 'all' && sameShape(known[key], answers[key]));
  await mkdir(answersFolder, { recursive: true });
  for (const [tag, keys] of answerKeys()) {
    const entries = keys
      .filter((key) => key in known || key in answers)
      .map((key) => [key, keep(key) ? known[key] : answers[key]] as const);
    // The parts of a test are its own: two tests may write at once.
    if (keys.some((key) => key in answers))
      await writeFile(answersFile(tag), `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  }
}
