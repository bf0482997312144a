import type { GatewayHarness } from '../../packages/server/src/testing/gateway-harness.ts';
import { FakeGoogle } from '../../packages/server/src/testing/upstream/fake-google.ts';
import { startFakeUpstream } from '../../packages/server/src/testing/upstream/fake-upstream.ts';
import { refuse } from '../../packages/server/src/testing/upstream/fake-upstream-faults.ts';
import {
  type Behaviour,
  json,
  type ModelBehaviour,
} from '../../packages/server/src/testing/upstream/fake-upstream-scripts.ts';
import * as ernie from '../../packages/server/src/testing/upstream/own-wires/fake-baidu.ts';
import * as codex from '../../packages/server/src/testing/upstream/own-wires/fake-codex.ts';
import * as gemini from '../../packages/server/src/testing/upstream/own-wires/fake-gemini.ts';
import * as hunyuan from '../../packages/server/src/testing/upstream/own-wires/fake-hunyuan.ts';
import * as spark from '../../packages/server/src/testing/upstream/own-wires/fake-spark.ts';
import * as own from '../../packages/server/src/testing/upstream/own-wires/fake-template.ts';
import * as zhipu from '../../packages/server/src/testing/upstream/own-wires/fake-zhipu.ts';

/** Failure of the upstream, by OpenAI's status for it. */
export type Failing = 400 | 404 | 429 | 500;
/** A failure in the vendor's format, and the status that callers receive. */
type Failure = readonly [ModelBehaviour, number];

/** A model behind its own upstream; the channel's type selects the upstream's protocol. */
export interface Wire {
  type: number;
  model: string;
  /** The key of the channel, which may contain an address of the upstream. */
  key?: string | ((url: string) => string);
  other?: string;
  /** Wraps the model in the vendor's check of keys, signatures and forms. */
  door?: (answer: Behaviour) => Behaviour;
  failures: Record<Failing, Failure>;
  /** Requests that the wire cannot express: journey → error message. No request is sent. */
  refused?: Readonly<Record<string, string>>;
  /** The wire has no option for thinking: the request for thoughts is left out, by name. */
  isThoughtless?: true;
  /** Starts the upstream if it is not an HTTP server. */
  start?: (answer: ModelBehaviour) => Promise<FarSide>;
}

/** Properties of an upstream that tests inspect. */
export interface FarSide {
  readonly url: string;
  readonly requests: readonly { body: Buffer; finished: Promise<void>; cutByPeer: boolean }[];
  close(): Promise<void>;
}

const asIs = (answer: Behaviour): Behaviour => answer;

/** Starts a wire with `answer` as its model, and adds its channel; callers name the model `calledAs`. */
export async function addWire(
  gate: GatewayHarness,
  wire: Wire,
  answer: ModelBehaviour,
  calledAs: string = wire.model,
): Promise<FarSide> {
  const { type, model, key, other } = wire;
  const farSide = await startWire(wire, answer);
  await gate.addChannel({
    type,
    models: calledAs,
    ...(calledAs !== model && { model_mapping: JSON.stringify({ [calledAs]: model }) }),
    base_url: farSide.url,
    ...(key && { key: typeof key === 'string' ? key : key(farSide.url) }),
    ...(other && { other }),
  });
  return farSide;
}

/** True for a request, as JSON, that asks for thoughts in the words of any wire. */
export const asksToThink = (words: string): boolean =>
  /"(reasoning_effort|effort|maxReasoningEffort|think|thinkingLevel)":"(low|medium|high)"|"(budget_tokens|thinkingBudget|thinking_budget)":\d|"thinking":\{"type":"(enabled|adaptive)"/.test(
    words,
  );

/** Starts the upstream of a wire, with `answer` as its model. */
const startWire = ({ start, door = asIs }: Wire, answer: ModelBehaviour): Promise<FarSide> =>
  start ? start(answer) : startFakeUpstream(door(answer));

/** Failures of a vendor that reports them by the status, in its own format. */
const byStatus = (fail: (status: Failing) => ModelBehaviour): Record<Failing, Failure> => ({
  400: [fail(400), 400],
  404: [fail(404), 404],
  429: [fail(429), 429],
  500: [fail(500), 500],
});
const words = (status: Failing): string => `failed with ${status}`;
const openaiFailures = byStatus((status) => refuse(status, { message: words(status) }));
const googleFailures = byStatus((status) => gemini.googleFailure(status, words(status)));
const anthropicTypes = {
  400: 'invalid_request_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'api_error',
};
const anthropicFailures = byStatus((status) =>
  json({ type: 'error', error: { type: anthropicTypes[status], message: words(status) } }, status),
);

const schema = { structured: 'an answer by a schema cannot be said' };
const pictures = { images: 'image_url cannot be said' };
const noTools = 'tools cannot be said';
const tools = { tools: noTools, streamed_tools: noTools, own_tools: noTools };

const google = new FakeGoogle();
const onVertex = {
  type: 41,
  key: (url: string) => google.keyFile(`${url}/token`),
  other: '{"default":"global","claude-sonnet-4-5":"us-east5"}',
};
const baiduTokens: ernie.BaiduState = { tokens: 0 };
/** Every wire for the tests of Python's clients. */
export const wires = {
  'Chat Completions': { type: 31, model: 'gpt-oss-120b', failures: openaiFailures },
  Responses: { type: 1, model: 'gpt-5-played', failures: openaiFailures },
  Messages: { type: 14, model: 'claude-sonnet-4-5', failures: anthropicFailures },
  Gemini: { type: 24, model: 'gemini-2.5-pro', failures: googleFailures },
  'Gemini of this year': {
    type: 24,
    model: 'gemini-3.5-flash',
    door: gemini.geminiThree,
    failures: googleFailures,
  },
  'Ollama itself': {
    type: 4,
    model: 'gpt-oss:20b',
    other: 'native',
    failures: byStatus((status) => json({ error: words(status) }, status)),
  },
  'Bedrock Converse': {
    type: 33,
    model: 'us.amazon.nova-2-lite-v1:0',
    key: 'ABSKexample|us-west-2',
    failures: byStatus((status) => json({ message: words(status) }, status)),
  },
  Cohere: {
    type: 34,
    model: 'command-a-reasoning-08-2025',
    failures: byStatus((status) => json({ id: 'failed', message: words(status) }, status)),
  },
  'Gemini on Vertex': {
    ...onVertex,
    model: 'gemini-3.1-pro-preview',
    door: (answer) => google.before(gemini.onVertex(gemini.geminiThree(answer))),
    failures: googleFailures,
  },
  'Claude on Vertex': {
    ...onVertex,
    model: 'claude-sonnet-4-5-20250929',
    door: (answer) => google.before(answer),
    failures: anthropicFailures,
  },
  'open models on Vertex': {
    ...onVertex,
    model: 'openai/gpt-oss-120b-maas',
    door: (answer) => google.before(answer),
    failures: googleFailures,
  },
  Codex: {
    type: 57,
    model: 'gpt-5.6-sol',
    key: (url) => codex.codexKey(1, `${url}/oauth/token`),
    door: (answer) => codex.codex(codex.codexState(), answer),
    failures: openaiFailures,
  },
  'path and headers by template': {
    type: 58,
    model: own.templateModel,
    key: own.templateKey,
    other: own.template,
    door: own.byTemplate,
    failures: openaiFailures,
  },
  'the first API of Baidu': {
    type: 15,
    model: 'ERNIE-4.0-8K',
    key: ernie.baiduKey,
    door: (answer) => ernie.baidu(baiduTokens, answer),
    failures: {
      400: [ernie.baiduFailure(336_003, 'the message is too long'), 400],
      404: [ernie.baiduFailure(3, 'Unsupported openapi method'), 404],
      429: [ernie.baiduFailure(18, 'Open api qps request limit reached'), 429],
      500: [ernie.baiduFailure(336_000, 'Internal error'), 502],
    },
    refused: { ...pictures, ...schema },
    isThoughtless: true,
  },
  'the third API of Zhipu': {
    type: 16,
    model: 'chatglm_turbo',
    key: zhipu.zhipuKey,
    door: zhipu.zhipu,
    failures: {
      400: [zhipu.zhipuFailure(1_210, 'API 调用参数有误，请检查文档。'), 400],
      404: [zhipu.zhipuFailure(1_211, '模型不存在，请检查模型代码。'), 404],
      429: [zhipu.zhipuFailure(1_302, '您当前使用该 API 的并发数过高，请降低并发。'), 429],
      500: [zhipu.zhipuFailure(500, '内部错误'), 502],
    },
    refused: { ...tools, ...pictures, ...schema },
    isThoughtless: true,
  },
  Spark: {
    type: 18,
    model: 'SparkDesk-v3.5',
    key: spark.sparkKey,
    start: spark.startFakeSpark,
    failures: {
      400: [spark.sparkFailure(10_907, 'token数量超过上限'), 400],
      // It has no error for a missing model; its error says that the application may not use the model.
      404: [spark.sparkFailure(10_016, 'AppIdNoAuthError:(no authorization for this version)'), 403],
      429: [spark.sparkFailure(11_202, 'AppIdNoAuthError:(tps overrun)'), 429],
      500: [spark.sparkFailure(10_012, 'EngineInternalError'), 502],
    },
    refused: { ...tools, ...pictures, ...schema },
    isThoughtless: true,
  },
  Hunyuan: {
    type: 23,
    model: 'hunyuan-vision',
    key: hunyuan.hunyuanKey,
    door: hunyuan.hunyuan,
    failures: {
      400: [hunyuan.hunyuanFailure('InvalidParameterValue', '参数取值错误。'), 400],
      404: [hunyuan.hunyuanFailure('InvalidParameterValue.Model', '模型不存在。'), 404],
      429: [
        hunyuan.hunyuanFailure(
          'FailedOperation.EngineServerLimitExceeded',
          '引擎层请求超过限额；请稍后重试。',
        ),
        429,
      ],
      500: [hunyuan.hunyuanFailure('FailedOperation.EngineServerError', '引擎层内部错误；请稍后重试。'), 502],
    },
    refused: schema,
    isThoughtless: true,
  },
} as const satisfies Record<string, Wire>;
