import type { JsonObject } from '../../../lib/json.ts';
import { FakeGoogle } from '../fake-google.ts';
import { arkKey, fakeArk } from './fake-ark.ts';
import { fakeGrok, grokKey } from './fake-grok.ts';
import { fakeHailuo, hailuoKey } from './fake-hailuo.ts';
import { fakeJimeng, jimengKey } from './fake-jimeng.ts';
import { fakeKling, klingKey } from './fake-kling.ts';
import { fakeReplicate, replicateKey } from './fake-replicate.ts';
import { bucket, fakeGemini, fakeVertex, geminiKey } from './fake-veo.ts';
import { fakeVidu, viduKey } from './fake-vidu.ts';
import { fakeWan, wanKey } from './fake-wan.ts';
import { startVideoMaker, type VideoFarSide, type VideoMaker } from './far-side.ts';

/** A video vendor, and the data of its channel. */
export interface Vendor {
  name: string;
  /** Type of its channel. */
  type: number;
  model: string;
  /** The requested length in seconds; the size has the rate factor 1. */
  seconds: number;
  size?: string;
  /** Fields of its channel in addition to address, key and model. */
  channel?: JsonObject;
  /** Format of a picture's bytes: only base64, or a data URL. */
  picture: 'base64' | 'data URL';
  /** Its message about a failed video. */
  reason: string;
  /** A required member of a submission, as a path. */
  needs: readonly (string | number)[];
  start(): Promise<VideoFarSide>;
  /** The key of a channel, and one of the same form that is unknown to the vendor. */
  keys(side: VideoFarSide): { right: string; strange: string };
}

/** Google's account, for Vertex. */
const google = new FakeGoogle();

/** A vendor with one key, or with a pair of which the second signs requests. */
const plain = (maker: VideoMaker, right: string): Pick<Vendor, 'start' | 'keys'> => ({
  start: () => startVideoMaker(maker),
  keys: () => ({ right, strange: right.replace(/[\w-]+$/, 'a-secret-that-nobody-knows-there') }),
});

/** All video vendors except OpenAI, which has its own simulation (`tasks/video-world.ts`). */
export const vendors: readonly Vendor[] = [
  {
    name: 'Veo on the Gemini API',
    type: 24,
    model: 'veo-3.0-generate-001',
    seconds: 8,
    picture: 'base64',
    reason: 'The prompt is against the rules.',
    needs: ['instances', 0, 'prompt'],
    ...plain(fakeGemini, geminiKey),
  },
  {
    name: 'Veo on Vertex',
    type: 41,
    model: 'veo-3.1-generate-preview',
    seconds: 6,
    channel: { other: JSON.stringify({ default: 'us-central1', storageUri: bucket }) },
    picture: 'base64',
    reason: 'The prompt is against the rules.',
    needs: ['parameters', 'storageUri'],
    start: () => startVideoMaker(fakeVertex, google.before),
    keys: ({ url }) => ({
      right: google.keyFile(`${url}/token`),
      strange: google.strangeKeyFile(`${url}/token`),
    }),
  },
  {
    name: 'Kling',
    type: 50,
    model: 'kling-v1-6',
    seconds: 5,
    picture: 'base64',
    reason: 'Failure to pass the risk control system',
    needs: ['prompt'],
    ...plain(fakeKling, klingKey),
  },
  {
    name: 'Jimeng',
    type: 51,
    model: 'jimeng_t2v_v30',
    seconds: 10,
    picture: 'base64',
    reason: 'Post Img Risk Not Pass',
    needs: ['prompt'],
    ...plain(fakeJimeng, jimengKey),
  },
  {
    name: 'Vidu',
    type: 52,
    model: 'viduq2',
    seconds: 4,
    picture: 'data URL',
    reason: 'TaskPromptPolicyViolation',
    needs: ['prompt'],
    ...plain(fakeVidu, viduKey),
  },
  {
    name: 'Doubao (Ark)',
    type: 54,
    model: 'doubao-seedance-1-0-pro-250528',
    seconds: 7,
    size: '1280x720',
    picture: 'data URL',
    reason: 'OutputVideoSensitiveContentDetected: The output video may contain sensitive information.',
    needs: ['content'],
    ...plain(fakeArk, arkKey),
  },
  {
    name: 'Hailuo (MiniMax)',
    type: 35,
    model: 'MiniMax-Hailuo-02',
    seconds: 6,
    picture: 'data URL',
    reason: 'output new_sensitive',
    needs: ['prompt'],
    ...plain(fakeHailuo, hailuoKey),
  },
  {
    name: 'Wan (DashScope)',
    type: 17,
    model: 'wan2.5-t2v-preview',
    seconds: 5,
    size: '1280x720',
    picture: 'data URL',
    reason: 'DataInspectionFailed: Output data may contain inappropriate content.',
    needs: ['input', 'prompt'],
    ...plain(fakeWan, wanKey),
  },
  {
    name: 'Replicate',
    type: 56,
    model: 'bytedance/seedance-1-lite',
    seconds: 3,
    picture: 'data URL',
    reason: 'The input was flagged as sensitive.',
    needs: ['input', 'prompt'],
    ...plain(fakeReplicate, replicateKey),
  },
  {
    name: 'Grok (xAI)',
    type: 48,
    model: 'grok-imagine-video',
    seconds: 9,
    picture: 'data URL',
    reason: 'internal_error: The video could not be made.',
    needs: ['prompt'],
    ...plain(fakeGrok, grokKey),
  },
];
