import { drawingModels, midjourneyTasks, songModels, sunoTasks } from '../../tasks/index.ts';
import type {
  LocalTaskAnswer,
  ProviderTasks,
  TaskQuestion,
  LocalAnswer,
  LocalRequest,
} from '../../types/index.ts';
import { answerDrawing } from './tasks/drawing.ts';
import { answerSong } from './tasks/song.ts';
import { answerVideo, sandboxVideo, videoModels } from './tasks/video.ts';
import { sandboxChannelType } from '@tollgate/contract';
import type { JsonObject } from '../../../lib/json.ts';
import { openaiEndpoints } from '../../families/openai/index.ts';
import { callOf, defineProvider, documentText, rerankUsage } from '../../provider-kit/index.ts';
import {
  answerChat,
  countTokens,
  pieces,
  textsOf,
  type Behaviour,
  behaviourOf,
  sandboxModels,
  whole,
} from './chat.ts';
import { images } from './images.ts';
import { sandboxRealtime } from './realtime.ts';
import { speech, transcription } from './sound.ts';

/** Models of the sandbox's tasks: videos under its own names, drawings and songs under the common names. */
const taskModels: readonly string[] = [...videoModels, ...drawingModels, ...songModels];

/** Sandbox tasks follow the clock. Nothing is stored: the task's id contains all of it. */
const sandboxTasks: ProviderTasks = {
  video: sandboxVideo,
  drawing: midjourneyTasks,
  music: sunoTasks,
  local: answerTask,
};

function answerTask(question: TaskQuestion, nowMs: number): LocalTaskAnswer {
  const { pathname } = new URL(question.url);
  if (pathname.startsWith('/mj/')) return answerDrawing(question, nowMs);
  if (pathname.startsWith('/suno/')) return answerSong(question, nowMs);
  return answerVideo(question, nowMs);
}

/**
 * The sandbox: answers in the process, from the prompt, without vendor, key and network. For first steps, tests and the
 * bench. Its number is far from the numbers of the original, which are below 100.
 */
export const sandbox = defineProvider({
  type: sandboxChannelType,
  id: 'sandbox',
  name: { zh: '沙盒', en: 'Sandbox' },
  baseUrl: 'http://sandbox.invalid',
  hints: { key: { zh: '任意文字，沙盒不需要密钥', en: 'any text; the sandbox asks for none' } },
  models: [...Object.keys(sandboxModels), ...taskModels],
  // Its key protects nothing, and is a word that its own answers contain.
  secrets: () => [],
  endpoints: openaiEndpoints([
    'openai-chat',
    'openai-completions',
    'openai-embeddings',
    'openai-moderations',
    'openai-images',
    'openai-audio',
    'cohere-rerank',
  ]),
  realtime: sandboxRealtime,
  local: answerSandbox,
  tasks: sandboxTasks,
});

const wordsOf = (text: string): Set<string> =>
  new Set(pieces(text.toLowerCase()).map((piece) => piece.trim()));

/** The best documents first: the score of a document is the share of the query's words in it. */
export function rerank(body: JsonObject, isSilent: boolean): JsonObject {
  const query = typeof body.query === 'string' ? body.query : '';
  const texts = (Array.isArray(body.documents) ? body.documents : []).map((each) => documentText(each) ?? '');
  const asked = wordsOf(query);
  const scored = texts.map((text, index) => {
    const words = wordsOf(text);
    const found = [...asked].filter((word) => words.has(word)).length;
    return { index, relevance_score: asked.size === 0 ? 0 : found / asked.size };
  });
  const ranked = scored.toSorted((one, other) => other.relevance_score - one.relevance_score);
  const most = typeof body.top_n === 'number' ? body.top_n : ranked.length;
  const tokens = [query, ...texts].reduce((sum, text) => sum + countTokens(text), 0);
  return {
    id: 'rerank-sandbox',
    model: body.model,
    results: ranked.slice(0, most),
    ...(!isSilent && { usage: rerankUsage(tokens) }),
  };
}

/** An OpenAI upstream's answer, made from the request: the same request gives the same bytes. */
export function answerSandbox(request: LocalRequest): LocalAnswer {
  const { protocol, body } = request;
  const model = typeof body.model === 'string' ? body.model : 'sandbox';
  const behaviour = behaviourOf(model);
  if (behaviour.failStatus) return refusal(behaviour, behaviour.failStatus);
  if (protocol === 'openai-embeddings') return embeddings(body, model, behaviour);
  if (protocol === 'cohere-rerank') return whole(rerank(body, behaviour.silentUsage === true), behaviour);
  if (protocol === 'openai-moderations') return moderations(body, model, behaviour);
  if (protocol === 'openai-images') return images(body, behaviour);
  if (protocol === 'openai-audio') {
    const isSpeech = callOf(protocol, request.path) === '/speech';
    return isSpeech ? speech(body, behaviour) : transcription(request, behaviour);
  }
  return answerChat(body, model, behaviour, protocol === 'openai-completions');
}

function refusal(behaviour: Behaviour, status: 429 | 500): LocalAnswer {
  const error =
    status === 429
      ? {
          message: 'The sandbox plays a full house.',
          type: 'rate_limit_error',
          param: null,
          code: 'rate_limit_exceeded',
        }
      : {
          message: 'The sandbox plays a broken server.',
          type: 'server_error',
          param: null,
          code: 'server_error',
        };
  const answer = whole({ error }, behaviour, status);
  return status === 429 ? { ...answer, headers: { ...answer.headers, 'retry-after': '1' } } : answer;
}

/** Vectors of the requested length, made from the letters: equal texts have equal vectors, of length one. */
function embeddings(body: JsonObject, model: string, behaviour: Behaviour): LocalAnswer {
  const texts = textsOf(body.input);
  const size = typeof body.dimensions === 'number' ? Math.min(body.dimensions, 4_096) : 64;
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
  const data = texts.map((text, index) => {
    const vector = vectorOf(text, size);
    const embedding = body.encoding_format === 'base64' ? pack(vector) : vector;
    return { object: 'embedding', index, embedding };
  });
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return whole({ object: 'list', data, model, ...(!behaviour.silentUsage && { usage }) }, behaviour);
}

function vectorOf(text: string, size: number): number[] {
  const vector = Array.from({ length: size }, () => 0);
  for (let at = 0; at < text.length; at += 1) {
    const slot = (text.charCodeAt(at) * 31 + at * 7) % size;
    vector[slot]! += 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

const pack = (vector: number[]): string => {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4));
  return bytes.toString('base64');
};

const categories = ['harassment', 'hate', 'self-harm', 'sexual', 'violence'];

/** Flags a text that contains the name of a category. */
function moderations(body: JsonObject, model: string, behaviour: Behaviour): LocalAnswer {
  const results = textsOf(body.input).map((text) => {
    const found = categories.map((name) => [name, text.toLowerCase().includes(name)] as const);
    return {
      flagged: found.some(([, hit]) => hit),
      categories: Object.fromEntries(found),
      category_scores: Object.fromEntries(found.map(([name, hit]) => [name, hit ? 0.99 : 0.01])),
    };
  });
  return whole({ id: 'modr-sandbox', model, results }, behaviour);
}
