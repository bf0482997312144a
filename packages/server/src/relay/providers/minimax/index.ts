import { defineProvider, soundType, speechAsked } from '../../provider-kit/index.ts';
import { listModels, openaiEndpoints, upstreamFailure, joinUrl } from '../../families/openai/index.ts';
import { hailuoVideo } from './video.ts';
import { type JsonObject, objectOf, textOf } from '../../../lib/json.ts';
import { type ConversionRequest, type Converted, type Endpoint, refuse } from '../../types/index.ts';

const formats = { mp3: 'mp3', wav: 'wav', flac: 'flac', pcm: 'pcm' };

/** MiniMax's own fields, which pass with OpenAI's. */
const own = ['language_boost', 'pronunciation_dict', 'timber_weights', 'timbre_weights', 'voice_modify'];

/** Speech by `/v1/t2a_v2`: the sound is hexadecimal text in JSON. */
const minimaxSpeech: Endpoint = {
  protocol: 'openai-audio',
  isDialect: true,
  url: (channel) => joinUrl(channel, '/v1/t2a_v2'),
  adapt(body, context) {
    const { text, voice, speed, format } = speechAsked(body, context, 'MiniMax', formats);
    const kept = own.filter((name) => body[name] !== undefined).map((name) => [name, body[name]] as const);
    const { voice_setting: voiceSetting, audio_setting: audioSetting } = body;
    for (const key of Object.keys(body)) delete body[key];
    Object.assign(body, Object.fromEntries(kept), {
      model: context.model,
      text,
      stream: false,
      output_format: 'hex',
      voice_setting: { voice_id: voice, ...(speed !== undefined && { speed }), ...objectOf(voiceSetting) },
      audio_setting: { ...objectOf(audioSetting), format },
    });
    return undefined;
  },
  convert: readSound,
};

/** Throws RelayError for an error with status 200 and a code of MiniMax. */
function readSound(answer: JsonObject, { request, secrets }: ConversionRequest): Converted {
  const { status_code: code, status_msg: words } = objectOf(answer.base_resp);
  if (typeof code === 'number' && code !== 0) {
    throw upstreamFailure(statuses.get(code) ?? 502, `${textOf(words)} (${code})`, secrets);
  }
  const digits = textOf(objectOf(answer.data).audio);
  const body = Buffer.from(digits, 'hex');
  // Invalid hexadecimal ends the decoding without an error.
  if (body.length === 0 || body.length * 2 !== digits.length) throw refuse('answer_without_sound');
  return { contentType: soundType(textOf(request.response_format)), body, usage: undefined };
}

/** MiniMax's codes as statuses: limits, keys, balance, and refused text and parameters. */
const statuses: ReadonlyMap<number, number> = new Map([
  [1002, 429],
  [1004, 401],
  [1008, 402],
  [1026, 400],
  [1027, 400],
  [1039, 429],
  [1042, 400],
  [2013, 400],
  [2049, 401],
  [2054, 400],
]);

/**
 * MiniMax: OpenAI's body at a different path, own formats for speech and videos. Errors may have status 200 and a
 * `base_resp`.
 */
export const minimax = defineProvider({
  type: 35,
  id: 'minimax',
  name: 'MiniMax',
  baseUrl: 'https://api.minimax.chat',
  models: [
    'MiniMax-Hailuo-2.3',
    'MiniMax-Hailuo-02',
    'MiniMax-M2',
    'MiniMax-M2.1',
    'MiniMax-M2.5',
    'MiniMax-M2.7',
    'MiniMax-M3',
    'MiniMax-M3.1-Flash',
  ],
  endpoints: {
    ...openaiEndpoints(['openai-chat'], { paths: { 'openai-chat': '/v1/text/chatcompletion_v2' } }),
    'openai-audio': minimaxSpeech,
  },
  tasks: { video: hailuoVideo },
  fetchModels: listModels(),
});
