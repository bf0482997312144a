import { randomUUID } from 'node:crypto';
import { product } from '@tollgate/contract';
import {
  type Channel,
  type ConversionRequest,
  type Converted,
  type Endpoint,
  refuse,
} from '../../types/index.ts';
import { type JsonObject, numberOf, objectOf, textOf } from '../../../lib/json.ts';
import { upstreamFailure, joinUrl } from '../../families/openai/index.ts';
import { soundType, speechAsked } from '../../provider-kit/index.ts';

/** Ark's own address; speech of the same account has another host. */
export const arkUrl = 'https://ark.cn-beijing.volces.com';
const speechUrl = 'https://openspeech.bytedance.com';

/** The speech address for channels of a base address. */
export const speechBase = (baseUrl: string): string => (baseUrl === arkUrl ? speechUrl : baseUrl);

const formats = { mp3: 'mp3', opus: 'ogg_opus', wav: 'wav', pcm: 'pcm' };

/** `appid|token`: speech belongs to an application, whose key differs from Ark's. */
function parseKey({ key }: Channel): { appid: string; token: string } {
  const [appid = '', token = '', ...more] = key.split('|');
  if (appid !== '' && token !== '' && more.length === 0) return { appid, token };
  throw refuse('volcengine_speech_key_malformed');
}

/** Speech in one answer; `audio` and `request` pass VolcEngine's own fields. */
export const volcengineSpeech: Endpoint = {
  protocol: 'openai-audio',
  isDialect: true,
  url: (channel) => joinUrl({ baseUrl: speechBase(channel.baseUrl) }, '/api/v1/tts'),
  // VolcEngine requires a semicolon without a blank after it.
  headers: (channel) => ({ authorization: `Bearer;${parseKey(channel).token}` }),
  adapt(body, context) {
    const { text, voice, speed, format } = speechAsked(body, context, 'VolcEngine', formats);
    const { user, audio, request } = body;
    const { model } = context;
    for (const key of Object.keys(body)) delete body[key];
    Object.assign(body, {
      // The token here may be any text; the valid one is in the header.
      app: { appid: parseKey(context.channel).appid, token: 'access_token', cluster: 'volcano_tts' },
      user: { uid: textOf(user) || product.id },
      audio: {
        voice_type: voice,
        ...(speed !== undefined && { speed_ratio: speed }),
        ...objectOf(audio),
        encoding: format,
      },
      request: {
        // Each voice has its model; only the newer voices have several.
        ...(model.startsWith('seed-tts') && { model }),
        ...objectOf(request),
        reqid: randomUUID(),
        text,
        operation: 'query',
      },
    });
    return undefined;
  },
  convert: readSound,
};

const done = 3000;

function readSound(answer: JsonObject, { request, secrets }: ConversionRequest): Converted {
  const { code, message, data } = answer;
  if (code !== done) throw upstreamFailure(statuses.get(numberOf(code)) ?? 502, textOf(message), secrets);
  const body = Buffer.from(textOf(data), 'base64');
  if (body.length === 0) throw refuse('answer_without_sound');
  return { contentType: soundType(textOf(request.response_format)), body, usage: undefined };
}

/** VolcEngine's codes as statuses: refusals, and lack of capacity. */
const statuses: ReadonlyMap<number, number> = new Map([
  [3001, 400],
  [3003, 429],
  [3005, 503],
  [3010, 400],
  [3011, 400],
  [3050, 400],
]);
