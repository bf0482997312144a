import { readBoundary, scanForm } from '../../../../lib/form.ts';
import { type JsonObject, parseObject, textOf } from '../../../../lib/json.ts';
import { soraVideo } from '../../../tasks/index.ts';
import type { LocalTaskAnswer, TaskQuestion, VideoVendor } from '../../../types/index.ts';
import { jsonAnswer as json } from './json-answer.ts';
import { media } from '../media.ts';

/** Duration of a video's task, and whether it fails; chosen by the model. */
interface VideoScript {
  durationMs: number;
  fails?: true;
}
const usual: VideoScript = { durationMs: 4_000 };
const videoScripts: Readonly<Record<string, VideoScript>> = {
  'sandbox-video': usual,
  'sandbox-video-slow': { durationMs: 60_000 },
  'sandbox-video-fail': { ...usual, fails: true },
};

/** The sandbox’s models of videos. */
export const videoModels = Object.keys(videoScripts);

/** Time that a video waits before it begins. */
const queueMs = 1_000;
/** Lengths of the films, the same as those that can be requested. Each has 160 x 90 points. */
const filmSeconds = [4, 8, 12, 16, 20];

/** Sandbox videos, by OpenAI's calls. They follow the clock, and the task's id contains all of it. */
export const sandboxVideo: VideoVendor = soraVideo(
  { url: (channel, behind) => `${channel.baseUrl}/v1/videos${behind}`, headers: () => ({}) },
  'Sandbox',
);

/** Answers the calls below `/v1/videos`. */
export function answerVideo(question: TaskQuestion, nowMs: number): LocalTaskAnswer {
  const [name = '', what] = new URL(question.url).pathname.split('/').slice(3);
  if (question.method === 'POST') return json(200, videoOf(begin(fieldsOf(question), nowMs, name), nowMs));
  const video = readName(decodeURIComponent(name));
  if (!video) return json(404, { error: { message: 'no such video', type: 'invalid_request_error' } });
  if (question.method === 'DELETE')
    return json(200, { id: video.id, object: 'video.deleted', deleted: true });
  if (what === 'content')
    return { status: 200, contentType: 'video/webm', body: media(`film-${video.seconds}.webm`) };
  return json(200, videoOf(video, nowMs));
}

/** Facts in a task's id. */
interface PlayedVideo {
  id: string;
  begunAt: number;
  seconds: number;
  size: string;
  model: string;
}

const namePattern = /^video_([0-9a-z]{1,11})_(\d{1,3})_(\d{2,4}x\d{2,4})_([\w.-]{1,60})$/;

/** A new video; a remix has the model and the size of the original. */
function begin(fields: JsonObject, nowMs: number, origin: string): PlayedVideo {
  const before = origin === '' ? undefined : readName(decodeURIComponent(origin));
  const model = textOf(fields.model) || (before?.model ?? 'sandbox-video');
  const asked = Number(fields.seconds ?? before?.seconds ?? 4);
  const seconds = filmSeconds.find((each) => each >= asked) ?? filmSeconds.at(-1)!;
  const size = textOf(fields.size) || (before?.size ?? '1280x720');
  const known = model.replace(/[^\w.-]/g, '-').slice(0, 60);
  const id = `video_${nowMs.toString(36)}_${seconds}_${size}_${known}`;
  return { id, begunAt: nowMs, seconds, size, model: known };
}

function readName(id: string): PlayedVideo | undefined {
  const [, at = '', seconds, size = '', model = ''] = namePattern.exec(id) ?? [];
  if (at === '') return undefined;
  return { id, begunAt: parseInt(at, 36), seconds: Number(seconds), size, model };
}

/** The fields of a request, of JSON or of a form. */
function fieldsOf({ headers, body = Buffer.alloc(0) }: TaskQuestion): JsonObject {
  const type = headers['content-type'] ?? '';
  if (!type.startsWith('multipart/')) return parseObject(body) ?? {};
  const { parts } = scanForm(body, readBoundary(type));
  const texts = parts.filter(({ isFile }) => !isFile);
  return Object.fromEntries(
    texts.map(({ name, valueStart, valueEnd }) => [name, body.toString('utf8', valueStart, valueEnd)]),
  );
}

/** Progress by the clock: the video waits, runs at an even pace, and is then finished or failed. */
function videoOf(video: PlayedVideo, nowMs: number): JsonObject {
  const { durationMs, fails } = videoScripts[video.model] ?? usual;
  const elapsed = nowMs - video.begunAt;
  const shared = {
    id: video.id,
    object: 'video',
    model: video.model,
    created_at: Math.floor(video.begunAt / 1_000),
    seconds: String(video.seconds),
    size: video.size,
  };
  if (elapsed < queueMs) return { ...shared, status: 'queued', progress: 0 };
  if (elapsed < durationMs)
    return { ...shared, status: 'in_progress', progress: Math.floor((elapsed / durationMs) * 100) };
  if (fails)
    return {
      ...shared,
      status: 'failed',
      progress: 0,
      error: { code: 'sandbox_failure', message: 'the sandbox plays a video that fails' },
    };
  return { ...shared, status: 'completed', progress: 100 };
}
