import { type JsonObject, parseObject, textOf } from '../../../../lib/json.ts';
import { buttonAction, callAction, drawingCode } from '../../../tasks/index.ts';
import type { LocalTaskAnswer, TaskQuestion } from '../../../types/index.ts';
import { jsonAnswer } from './json-answer.ts';
import { dataUrl } from '../media.ts';
import { type Behaviour, behaviourOf, stageOf } from './behaviour.ts';
import { seedOf } from './seed.ts';

const button = (customId: string, emoji: string, label = ''): JsonObject => ({
  customId,
  emoji,
  label,
  type: 2,
  style: 2,
});

const quarters = [1, 2, 3, 4];

/** The buttons below four pictures: enlarge each, vary each, and repeat all. */
const gridButtons = (name: string): JsonObject[] => [
  ...quarters.map((index) => button(`MJ::JOB::upsample::${index}::${name}`, '', `U${index}`)),
  button(`MJ::JOB::reroll::0::${name}::SOLO`, '🔄'),
  ...quarters.map((index) => button(`MJ::JOB::variation::${index}::${name}`, '', `V${index}`)),
];

/** The buttons below one picture. */
const singleButtons = (name: string): JsonObject[] => [
  button(`MJ::JOB::low_variation::1::${name}::SOLO`, '🪄', 'Vary (Subtle)'),
  button(`MJ::JOB::high_variation::1::${name}::SOLO`, '🪄', 'Vary (Strong)'),
  button(`MJ::Inpaint::1::${name}::SOLO`, '🖌️', 'Vary (Region)'),
  button(`MJ::Outpaint::50::1::${name}::SOLO`, '🔍', 'Zoom Out 2x'),
  button(`MJ::CustomZoom::${name}`, '🔍', 'Custom Zoom'),
  ...(['left', 'right', 'up', 'down'] as const).map((side) =>
    button(`MJ::JOB::pan_${side}::1::${name}::SOLO`, { left: '⬅️', right: '➡️', up: '⬆️', down: '⬇️' }[side]),
  ),
];

/** A drawing; its id contains all of it. */
interface Drawing {
  id: string;
  begunAt: number;
  behaviour: Behaviour;
  action: string;
  seed: number;
}

const namePattern = /^drawing_([0-9a-z]{1,11})_(usual|slow|fail)_([A-Z_]{1,30})_([0-9a-z]{1,7})$/;

/** Actions with one picture as the result; all others have four. */
const singles: ReadonlySet<string> = new Set(['UPSCALE', 'SWAP_FACE', 'EDITS', 'DESCRIBE']);
/** Actions that draw nothing before a second call has the details. */
const asksFirst: ReadonlySet<string> = new Set(['INPAINT', 'CUSTOM_ZOOM']);
const waitLimitMs = 15 * 60_000;

/** Answers the calls below `/mj`. */
export function answerDrawing({ url, body }: TaskQuestion, nowMs: number): LocalTaskAnswer {
  const asked = parseObject(body ?? Buffer.alloc(0)) ?? {};
  const words = new URL(url).pathname.split('/').slice(2);
  if (words[0] !== 'task') return submit(words.at(-1) ?? '', asked, nowMs);
  if (words.at(-1) === 'image-seed') {
    const drawing = readName(decodeURIComponent(words[1] ?? ''));
    return jsonAnswer(200, { code: drawing ? 1 : 4, description: '', result: String(drawing?.seed ?? '') });
  }
  const ids = Array.isArray(asked.ids) ? asked.ids.map(textOf) : [];
  return jsonAnswer(
    200,
    ids.flatMap((id) => {
      const drawing = readName(id);
      return drawing ? [taskOf(drawing, nowMs)] : [];
    }),
  );
}

/** The input that determines the picture. */
const pictureFields = ['prompt', 'base64', 'base64Array', 'sourceBase64', 'targetBase64'];

function submit(call: string, asked: JsonObject, nowMs: number): LocalTaskAnswer {
  const reply = (code: number, description: string, result: JsonObject[string]): LocalTaskAnswer =>
    jsonAnswer(200, { code, description, result });
  const behaviour = behaviourOf(asked);
  if (behaviour === 'refuse')
    return reply(drawingCode.bannedWord, 'the sandbox plays a word that is banned', '');
  if (call === 'upload-discord-images') {
    const sent = Array.isArray(asked.base64Array) ? asked.base64Array.map(textOf) : [];
    return reply(
      drawingCode.submitted,
      'Submit success',
      sent.map((picture) => pictureUrl(seedOf(picture))),
    );
  }
  const origin = readName(textOf(asked.taskId));
  const { action, index } = wantedOf(call, asked);
  const seed = origin
    ? seedBehind(origin, action, index)
    : seedOf(...pictureFields.map((name) => JSON.stringify(asked[name] ?? '')));
  const id = `drawing_${nowMs.toString(36)}_${behaviour}_${action}_${seed.toString(36)}`;
  return asksFirst.has(action)
    ? reply(drawingCode.exists, 'Waiting for window confirm', id)
    : reply(drawingCode.submitted, 'Submit success', id);
}

function wantedOf(call: string, asked: JsonObject): { action: string; index: number } {
  if (call === 'action') return buttonAction(textOf(asked.customId)) ?? { action: 'IMAGINE', index: 0 };
  const action = call === 'change' ? textOf(asked.action).toUpperCase() : (callAction(call) ?? 'IMAGINE');
  return { action, index: typeof asked.index === 'number' ? asked.index : 0 };
}

/** The four single pictures, in their order in the grid; a seed chooses one. */
const pictures = 4;
const pictureUrl = (seed: number): string => dataUrl(`picture-${(seed % pictures) + 1}.png`);

/** A seed that chooses one of the four pictures, counted from 1. */
const quarter = (seed: number, index: number): number =>
  seed - (seed % pictures) + ((index + pictures - 1) % pictures);

/** An enlarged picture is one of the four; all others are new pictures. */
const seedBehind = ({ seed }: Drawing, action: string, index: number): number =>
  action === 'UPSCALE' ? quarter(seed, index) : seedOf(seed, action, index);

function readName(id: string): Drawing | undefined {
  const [, at = '', behaviour, action = '', seed = ''] = namePattern.exec(id) ?? [];
  if (at === '') return undefined;
  return {
    id,
    begunAt: parseInt(at, 36),
    behaviour: behaviour as Behaviour,
    action,
    seed: parseInt(seed, 36),
  };
}

const failed = { status: 'FAILURE', progress: '100%' };

/** A drawing in midjourney-proxy's format. */
function taskOf(drawing: Drawing, nowMs: number): JsonObject {
  const { id, begunAt, action, seed } = drawing;
  const shared = { id, action, submitTime: begunAt };
  if (asksFirst.has(action)) {
    return nowMs - begunAt < waitLimitMs
      ? { ...shared, status: 'MODAL', progress: '0%' }
      : { ...shared, ...failed, failReason: 'nobody said what is to be drawn' };
  }
  const stage = stageOf(drawing, nowMs);
  if (stage.at === 'queued') return { ...shared, status: 'SUBMITTED', progress: '0%' };
  if (stage.at === 'failed')
    return { ...shared, ...failed, failReason: 'the sandbox plays a drawing that fails' };
  const isSingle = singles.has(action);
  if (stage.at === 'made') {
    const imageUrl = dataUrl('preview.png');
    return { ...shared, status: 'IN_PROGRESS', progress: `${stage.percent}%`, imageUrl };
  }
  return {
    ...shared,
    status: 'SUCCESS',
    progress: '100%',
    imageUrl: isSingle ? pictureUrl(seed) : dataUrl('grid.png'),
    ...(action === 'DESCRIBE' && described),
    buttons: action === 'DESCRIBE' ? [] : isSingle ? singleButtons(id) : gridButtons(id),
    properties: { seed },
  };
}

const described = {
  prompt: ['1️⃣ hills under a wide sky', '2️⃣ a sun above the horizon, flat colours'].join('\n\n'),
};
