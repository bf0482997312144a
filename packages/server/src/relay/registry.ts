import { keyOriginsOf, type KeyPlace, type Provider, withoutCallPath } from './types/index.ts';
import { ali } from './providers/ali/index.ts';
import { anthropic } from './providers/anthropic/index.ts';
import { azure } from './providers/azure/index.ts';
import { baidu } from './providers/baidu/index.ts';
import { baiduV2 } from './providers/baidu-v2/index.ts';
import { bedrock } from './providers/bedrock/index.ts';
import { cloudflare } from './providers/cloudflare/index.ts';
import { codex } from './providers/codex/index.ts';
import { coze } from './providers/coze/index.ts';
import { cohere } from './providers/cohere/index.ts';
import { custom } from './providers/custom/index.ts';
import { customTemplate } from './providers/custom-template/index.ts';
import { deepseek } from './providers/deepseek/index.ts';
import { dify } from './providers/dify/index.ts';
import { gemini } from './providers/gemini/index.ts';
import { jimeng } from './providers/jimeng/index.ts';
import { kling } from './providers/kling/index.ts';
import {
  doubaoVideo,
  midjourney,
  midjourneyPlus,
  sora,
  suno,
  toolServer,
} from './providers/task-servers/index.ts';
import { minimax } from './providers/minimax/index.ts';
import { mistral } from './providers/mistral/index.ts';
import {
  ai360,
  fastgpt,
  jina,
  lingyiwanwu,
  mokaAi,
  moonshot,
  submodel,
  xinference,
} from './providers/copies/index.ts';
import { ollama } from './providers/ollama/index.ts';
import { openai } from './providers/openai/index.ts';
import { aigc2d, ails, aiproxy, api2gpt, ohmygpt, openaiMax } from './providers/resellers/index.ts';
import { openrouter } from './providers/openrouter/index.ts';
import { perplexity } from './providers/perplexity/index.ts';
import { replicate } from './providers/replicate/index.ts';
import { sandbox } from './providers/sandbox/index.ts';
import { siliconflow } from './providers/siliconflow/index.ts';
import { tencent } from './providers/tencent/index.ts';
import { vertex } from './providers/vertex/index.ts';
import { vidu } from './providers/vidu/index.ts';
import { volcengine } from './providers/volcengine/index.ts';
import { xai } from './providers/xai/index.ts';
import { xunfei } from './providers/xunfei/index.ts';
import { zhipu } from './providers/zhipu/index.ts';
import { zhipuV4 } from './providers/zhipu-v4/index.ts';
import { presetProvider, presets } from './presets/index.ts';
import { byTypeNumber } from './type-numbers.ts';
import { defineProvider } from './provider-kit/index.ts';

/**
 * Vendors that have closed. Their channels can be imported from another gateway, keep their type number and are shown
 * under this name; nothing is ever sent to them, and a test explains why.
 */
const closedVendors: readonly Provider[] = [
  closed(11, 'palm', { zh: 'Google PaLM 2（供应商已关闭）', en: 'Google PaLM 2 (closed by its vendor)' }),
  closed(21, 'aiproxy-library', {
    zh: 'AI Proxy 知识库（供应商已关闭）',
    en: 'AI Proxy library (closed by its vendor)',
  }),
];

function closed(type: number, id: string, name: Provider['name']): Provider {
  return defineProvider({ type, id, name, endpoints: {}, testable: false, isClosed: true });
}

/**
 * Every provider of this gateway, in the order of the console's list of channel types. A new one is a folder and a
 * line.
 */
export const providers: readonly Provider[] = [
  openai,
  midjourney,
  midjourneyPlus,
  suno,
  ollama,
  anthropic,
  bedrock,
  vertex,
  azure,
  codex,
  cohere,
  cloudflare,
  moonshot,
  baidu,
  baiduV2,
  ali,
  xunfei,
  zhipu,
  zhipuV4,
  gemini,
  openrouter,
  ai360,
  tencent,
  lingyiwanwu,
  minimax,
  dify,
  jina,
  siliconflow,
  mistral,
  custom,
  customTemplate,
  fastgpt,
  deepseek,
  mokaAi,
  volcengine,
  xinference,
  xai,
  coze,
  submodel,
  perplexity,
  openaiMax,
  ohmygpt,
  ails,
  aiproxy,
  api2gpt,
  aigc2d,
  sora,
  kling,
  jimeng,
  vidu,
  doubaoVideo,
  replicate,
  ...presets.map(presetProvider),
  toolServer,
  sandbox,
];

const byType: ReadonlyMap<number, Provider> = new Map([
  ...closedVendors.map((vendor) => [vendor.type, vendor] as const),
  ...byTypeNumber(providers),
]);

/** All channel types: the providers, and the vendors that have closed. */
export const channelKinds: readonly Provider[] = [...providers, ...closedVendors];

/** Facts about providers for a service that stores channels. */
export const channelTypes = {
  /** The provider's address; undefined for an unknown type number. */
  defaultBaseUrl: (type: number): string | undefined => providerOf(type)?.baseUrl,
  /** The origins to which a channel of this type sends its key. */
  keyOrigins: (type: number, place: KeyPlace): readonly string[] =>
    keyOriginsOf(providerOf(type) ?? {}, place),
  /** The base address without the path that calls of the type add (`/v1`). */
  trimAddress: (type: number, place: KeyPlace): string =>
    withoutCallPath(providerOf(type), { type, ...place }),
  /** The error in the extra field of a channel of this type; undefined for none. */
  faultIn: (type: number, other: string) => providerOf(type)?.faultIn?.(other),
  /** True if the vendor has closed, so that its channels are never chosen and no new one is created. */
  isClosed: (type: number): boolean => providerOf(type)?.isClosed === true,
};

/** The provider of a channel's type number; undefined for an unknown number. */
export const providerOf = (type: number): Provider | undefined => byType.get(type);
