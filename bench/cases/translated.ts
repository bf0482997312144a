import { type Language, languages } from '../parts/languages.ts';
import type { Loader } from '../parts/load.ts';
import { cpuNs } from '../parts/process.ts';
import { median, type Subject, type TranslatedMode, translatedModels } from '../parts/subject.ts';

/** Chunks of one answer of the upstreams that stream at once. */
const chunks = 100;
const requests = 3_000;
const connections = 32;

const names = Object.keys(languages) as Language[];
const modes = Object.keys(translatedModels) as TranslatedMode[];

/**
 * Processor time per event of an upstream's stream, by the stream and by the language of the caller; `chat` passes, the
 * others are translated.
 */
export type Translated = Record<TranslatedMode, Record<Language, number>>;

/**
 * What translation costs: the same stream to callers of each language, who take turns, window by window. One stream says
 * the same again and again, the other one is as OpenAI's are, no two events alike.
 */
export async function runTranslated(
  loader: Loader,
  gateway: Subject,
  windowCount: number,
): Promise<Translated> {
  const costs = {} as Translated;
  for (const mode of modes) costs[mode] = await runStream(loader, gateway, mode, windowCount);
  return costs;
}

async function runStream(
  loader: Loader,
  gateway: Subject,
  mode: TranslatedMode,
  windowCount: number,
): Promise<Record<Language, number>> {
  const bodies = new Map(names.map((name) => [name, loader.body(mode, 300, name)]));
  const measure = async (name: Language): Promise<number> => {
    const before = cpuNs(gateway.pids);
    const shape = { connections, requests };
    const { answered } = await loader.run(gateway, mode, bodies.get(name)!, shape, name);
    return (cpuNs(gateway.pids) - before) / 1_000 / answered / chunks;
  };
  const windows = new Map<Language, number[]>(names.map((name) => [name, []]));
  for (const name of names) await measure(name);
  for (let round = 0; round < windowCount; round += 1) {
    for (const name of names) windows.get(name)!.push(await measure(name));
  }
  return Object.fromEntries(names.map((name) => [name, median(windows.get(name)!)])) as Record<
    Language,
    number
  >;
}
