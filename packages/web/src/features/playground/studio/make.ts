import { findCost } from '../conversation/run-answer.ts';
import { ask } from './calls.ts';
import { followTask } from './follow-task.ts';
import type { Make, Output, Work } from './works.ts';

type Fields = Record<string, unknown>;
type Report = (change: Partial<Work>) => void;

/** The cost of a finished call; its receipt is written after the answer. */
async function addCost(requestId: string | null, report: Report): Promise<void> {
  const found = requestId === null ? null : await findCost(requestId);
  if (found) report({ charged: found.cost });
}

const bytesOf = (base64: string): Blob => {
  const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
  return new Blob([bytes], { type: typeOf(base64) });
};
/** First base64 characters of picture formats. */
const typeOf = (base64: string): string =>
  base64.startsWith('/9j/') ? 'image/jpeg' : base64.startsWith('UklGR') ? 'image/webp' : 'image/png';

interface ImageAnswer {
  data?: { b64_json?: string; url?: string }[];
}

export const makeImages =
  (fields: Fields): Make =>
  async (report, signal) => {
    const { response, requestId } = await ask('images/generations', fields, signal);
    const { data = [] } = (await response.json()) as ImageAnswer;
    const outputs = data.map(({ b64_json: base64, url = '' }, index): Output => {
      const address = base64 === undefined ? url : URL.createObjectURL(bytesOf(base64));
      return { type: 'image', url: address, name: `picture-${index + 1}.png` };
    });
    report({ status: 'done', outputs, requestId });
    await addCost(requestId, report);
  };

/** File extension of a sound by its media type. */
const endings: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/opus': 'opus',
  'audio/ogg': 'ogg',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
};

export const makeSpeech =
  (fields: Fields): Make =>
  async (report, signal) => {
    const { response, requestId } = await ask('audio/speech', fields, signal);
    const sound = await response.blob();
    const ending = endings[sound.type.split(';', 1)[0] ?? ''] ?? 'mp3';
    const output: Output = { type: 'audio', url: URL.createObjectURL(sound), name: `speech.${ending}` };
    report({ status: 'done', outputs: [output], requestId });
    await addCost(requestId, report);
  };

export const makeTranscription =
  (fields: Readonly<Record<string, string>>, file: File): Make =>
  async (report, signal) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('file', file);
    const { response, requestId } = await ask('audio/transcriptions', form, signal);
    const { text = '' } = (await response.json()) as { text?: string };
    report({ status: 'done', outputs: [{ type: 'text', url: text, name: '' }], requestId });
    await addCost(requestId, report);
  };

export const makeVideo =
  (fields: Fields): Make =>
  async (report, signal) => {
    const { response, requestId } = await ask('videos', fields, signal);
    const { id } = (await response.json()) as { id: string };
    report({ taskId: id, requestId, progress: 0 });
    await followTask({ platform: 'task', kind: 'video', id }, report, signal);
  };

/** Submits a new drawing, or with `path` the action of a button. */
export const makeDrawing =
  (fields: Fields, path: 'imagine' | 'action' = 'imagine'): Make =>
  async (report, signal) => {
    const { response, requestId } = await ask(`mj/submit/${path}`, fields, signal);
    const { result } = (await response.json()) as { result: string };
    report({ taskId: result, requestId, progress: 0 });
    await followTask({ platform: 'mj', kind: 'drawing', id: result }, report, signal);
  };

export const makeSong =
  (action: 'MUSIC' | 'LYRICS', fields: Fields): Make =>
  async (report, signal) => {
    const { response, requestId } = await ask(`suno/submit/${action}`, fields, signal);
    const { data } = (await response.json()) as { data: string };
    report({ taskId: data, requestId, progress: 0 });
    const kind = action === 'MUSIC' ? 'song' : 'lyrics';
    await followTask({ platform: 'task', kind, id: data }, report, signal);
  };
