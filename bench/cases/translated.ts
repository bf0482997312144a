import { type Language, languages } from '../parts/languages.ts';
import type { Loader } from '../parts/load.ts';
import { cpuNs } from '../parts/process.ts';
import { median, type Subject } from '../parts/subject.ts';

/** Chunks of one answer of the upstream that streams at once. */
const chunks = 100;
const requests = 3_000;
const connections = 32;

/** Processor time per event of an upstream's stream, by the language of the caller; `chat` passes, the others are translated. */
export type Translated = Record<Language, number>;

/**
 * What translation costs: the same stream to callers of each language, who take turns, window by window.
 */
export async function runTranslated(
  loader: Loader,
  gateway: Subject,
  windowCount: number,
): Promise<Translated> {
  const names = Object.keys(languages) as Language[];
  const bodies = new Map(names.map((name) => [name, loader.body('once', 300, name)]));
  const measure = async (name: Language): Promise<number> => {
    const before = cpuNs(gateway.pids);
    const shape = { connections, requests };
    const { answered } = await loader.run(gateway, 'once', bodies.get(name)!, shape, name);
    return (cpuNs(gateway.pids) - before) / 1_000 / answered / chunks;
  };
  const windows = new Map<Language, number[]>(names.map((name) => [name, []]));
  for (const name of names) await measure(name);
  for (let round = 0; round < windowCount; round += 1) {
    for (const name of names) windows.get(name)!.push(await measure(name));
  }
  return Object.fromEntries(names.map((name) => [name, median(windows.get(name)!)])) as Translated;
}
