/** Codes in the answer to a new drawing. */
export const drawingCode = {
  submitted: 1,
  noAccount: 3,
  requestError: 4,
  exists: 21,
  queued: 22,
  queueFull: 23,
  bannedWord: 24,
  busy: 30,
} as const;

/** The models for the billing of Midjourney's actions. */
export const drawingModels: readonly string[] = [
  'mj_imagine',
  'mj_describe',
  'mj_variation',
  'mj_blend',
  'mj_upscale',
  'mj_inpaint',
  'mj_zoom',
  'mj_shorten',
  'mj_reroll',
  'mj_modal',
  'mj_pan',
  'mj_custom_zoom',
  'mj_high_variation',
  'mj_low_variation',
  'mj_upload',
  'mj_edits',
  'mj_video',
  'swap_face',
];

/** An action on an earlier drawing, by its button. */
interface ButtonAction {
  action: string;
  /** Number of the picture, 1 to 4; 0 for none. */
  index: number;
}

/** Actions by the text after `MJ::JOB::`. */
const jobs: readonly (readonly [start: string, action: string])[] = [
  ['upsample', 'UPSCALE'],
  ['variation', 'VARIATION'],
  ['low_variation', 'LOW_VARIATION'],
  ['high_variation', 'HIGH_VARIATION'],
  ['pan_', 'PAN'],
  ['reroll', 'REROLL'],
  ['video', 'VIDEO'],
];
const others: readonly (readonly [start: string, action: string])[] = [
  ['MJ::Outpaint', 'ZOOM'],
  ['MJ::CustomZoom', 'CUSTOM_ZOOM'],
  ['MJ::Inpaint', 'INPAINT'],
];

/** The action of a button (`MJ::JOB::upsample::2::…`); undefined for an unknown button. */
export function buttonAction(customId: string): ButtonAction | undefined {
  const [, scope = '', name = '', index = ''] = customId.split('::');
  if (scope === 'JOB') {
    const found = jobs.find(([start]) => name.startsWith(start));
    return found && { action: found[1], index: /^[1-4]$/.test(index) ? Number(index) : 0 };
  }
  const found = others.find(([start]) => customId.startsWith(start));
  return found && { action: found[1], index: 0 };
}

/** Parses a short command: `<task id> U2`, `V3` or `R`. */
export function simpleChange(content: string): (ButtonAction & { taskId: string }) | undefined {
  const found = /^\s*(\S+)\s+(?:([uv])([1-4])|(r))\s*$/i.exec(content);
  if (!found) return undefined;
  const [, taskId = '', letter = '', index = '0'] = found;
  const action = letter === '' ? 'REROLL' : letter.toLowerCase() === 'u' ? 'UPSCALE' : 'VARIATION';
  return { taskId, action, index: Number(index ?? 0) };
}

/** Actions on one of the four pictures of a drawing, which must be named. */
const ofOnePicture: ReadonlySet<string> = new Set(['UPSCALE', 'VARIATION']);

/**
 * The action of a change by name, which must be one of a button or a short command; undefined for others. `needsIndex`
 * if it requires the number of a picture, 1 to 4.
 */
export function changeAction(word: string): { action: string; needsIndex: boolean } | undefined {
  const action = word.toUpperCase();
  const isKnown = [...jobs, ...others].some(([, known]) => known === action);
  return isKnown ? { action, needsIndex: ofOnePicture.has(action) } : undefined;
}

/** The model for the billing of an action. */
export const drawingModel = (action: string): string =>
  action === 'SWAP_FACE' ? 'swap_face' : `mj_${action.toLowerCase()}`;

/**
 * A prompt without the options for the vendor's speed. A run of blanks is matched only from its start, because
 * matching from each blank would block the process for minutes.
 */
export const withoutSpeed = (prompt: string): string =>
  prompt.replace(/(?<!\s)\s*--(?:fast|relax|turbo)\b/g, '').trim();

/** The action by the last segment of the path, if the body does not name it. */
const calls: Readonly<Record<string, string>> = {
  imagine: 'IMAGINE',
  describe: 'DESCRIBE',
  blend: 'BLEND',
  shorten: 'SHORTEN',
  modal: 'MODAL',
  edits: 'EDITS',
  video: 'VIDEO',
  swap: 'SWAP_FACE',
  'upload-discord-images': 'UPLOAD',
};

/** The action of a call (`imagine`); undefined if it is in the body. */
export const callAction = (call: string): string | undefined =>
  Object.hasOwn(calls, call) ? calls[call] : undefined;
