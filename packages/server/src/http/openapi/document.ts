import {
  consoleApis,
  type ErrorCode,
  errors,
  type Language,
  product,
  type Words,
  type ReferenceData,
} from '@tollgate/contract';
import { consoleOperation } from './console-operation.ts';
import { errorExample, RefusalWriter } from './refusal-writer.ts';
import { type JsonSchema, SchemaWriter } from './shape/schemas.ts';
import { RelayErrors, relayErrorSchemas } from './relay-errors.ts';
import { type RelayContext, relayOperation } from './relay-operation.ts';
import { relayRoutes, routeProtocols } from '../relay/index.ts';
import type { PlacedOperation } from './shape/types.ts';
import { anthropicCalls } from './relay/anthropic.ts';
import { batchCalls } from './relay/batches.ts';
import { drawingCalls } from './relay/drawings.ts';
import { figuresCalls } from './relay/figures.ts';
import { geminiCalls } from './relay/gemini.ts';
import { openaiMedia } from './relay/media.ts';
import { openaiLists, openaiTexts } from './relay/openai.ts';
import type { RelayCall, RelayTag } from './relay/call.ts';
import { songCalls } from './relay/songs.ts';
import { toolCalls } from './relay/tools.ts';
import { googleVideos, otherVideos, videoCalls } from './relay/videos.ts';

/** Every relay call of the reference, in its order. */
export const relayCalls: readonly RelayCall[] = [
  ...openaiTexts,
  ...openaiMedia,
  ...videoCalls,
  ...batchCalls,
  ...openaiLists,
  ...figuresCalls,
  ...anthropicCalls,
  ...geminiCalls,
  ...googleVideos,
  ...drawingCalls,
  ...songCalls,
  ...otherVideos,
  ...toolCalls,
];

/** The parts of the reference that relay calls belong to. */
export const relayTags: Record<RelayTag, Words> = {
  openai: { zh: '中转：OpenAI', en: 'Relay: OpenAI' },
  figures: { zh: '中转：密钥的余额与用量', en: 'Relay: balance and usage of a key' },
  anthropic: { zh: '中转：Anthropic', en: 'Relay: Anthropic' },
  gemini: { zh: '中转：Gemini', en: 'Relay: Gemini' },
  midjourney: { zh: '中转：Midjourney', en: 'Relay: Midjourney' },
  suno: { zh: '中转：Suno', en: 'Relay: Suno' },
  kling: { zh: '中转：可灵与即梦', en: 'Relay: Kling and Jimeng' },
  tools: { zh: '中转：工具（MCP）', en: 'Relay: tools (MCP)' },
};

const about: Words = {
  zh: '本网关的全部接口。管理接口以 success 字段表示成败，多数拒绝的 HTTP 状态码为 200；中转接口沿用各协议自身的格式。',
  en: 'Every call of this gateway. Calls of the console tell success by the field success, and most refusals have HTTP status 200; calls of the relay have the shapes of their protocols.',
};

/** Format of refusals of console calls. */
function refusalSchemas(language: Language): Record<string, JsonSchema> {
  const field = (words: Words, schema: JsonSchema = { type: 'string' }) => ({
    ...schema,
    description: words[language],
  });
  const why = field({ zh: '拒绝的原因', en: 'Why it was refused' });
  const code = field({ zh: '错误的名称，供程序使用', en: 'Name of the error, for programs' });
  const always = { zh: '总是如此', en: 'Always so' };
  return {
    Refusal: {
      type: 'object',
      properties: {
        success: field(always, { const: false }),
        message: why,
        code,
        data: field({ zh: '通常为 null', en: 'Usually null' }, {}),
        request_id: field({ zh: '请求 ID', en: 'Id of the request' }),
      },
      required: ['success', 'message'],
    },
    MessageRefusal: {
      type: 'object',
      properties: { message: field(always, { const: 'error' }), data: why, code },
      required: ['message', 'data'],
    },
  };
}

const keyWords: Words = { zh: '令牌的密钥（sk-…）。', en: 'A key, sk-….' };

const securitySchemes: Record<string, (language: Language) => JsonSchema> = {
  session: (language) => ({
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description: {
      zh: '登录后设置的会话 Cookie；HTTPS 下名为 __Host-session。',
      en: 'The cookie that logging in sets; over HTTPS its name is __Host-session.',
    }[language],
  }),
  user: (language) => ({
    type: 'apiKey',
    in: 'header',
    name: 'New-Api-User',
    description: { zh: '调用者自己的用户 ID。', en: 'The caller’s own user id.' }[language],
  }),
  accessToken: (language) => ({
    type: 'http',
    scheme: 'bearer',
    description: {
      zh: '个人页面生成的系统访问令牌。',
      en: 'The system access token that one makes on the page of one’s account.',
    }[language],
  }),
  key: (language) => ({ type: 'http', scheme: 'bearer', description: keyWords[language] }),
  apiKey: (language) => ({
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: keyWords[language],
  }),
  googleKey: (language) => ({
    type: 'apiKey',
    in: 'header',
    name: 'x-goog-api-key',
    description: keyWords[language],
  }),
};

function groupByPath(placed: readonly PlacedOperation[]): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { path, method, operation } of placed) (paths[path] ??= {})[method] = operation;
  return paths;
}

const consoleCalls = () =>
  consoleApis.flatMap(({ id, calls }) =>
    Object.entries(calls).map(([name, route]) => ({ tag: id, name, route })),
  );

const tagsIn = (language: Language) => [
  ...Object.entries(relayTags).map(([name, title]) => ({ name, description: title[language] })),
  ...consoleApis.map(({ id, title }) => ({ name: id, description: title[language] })),
];

/** Finds the routes of calls in the relay's table. */
function routeFinder(): RelayContext['routeOf'] {
  const routes = relayRoutes(routeProtocols());
  return ({ method, path }) => {
    const route = routes.find((each) => each.method === method && each.path === path);
    if (!route) throw new Error(`the relay has no ${method} ${path}`);
    return route;
  };
}

/** The reference of the whole API as an OpenAPI 3.1 document. */
export function writeDocument(language: Language, version: string): ReferenceData {
  const schemas = new SchemaWriter(language);
  const refused = new RefusalWriter();
  const context = { language, components: schemas.components, schemas, refused };
  const errorsOfRelay = new RelayErrors();
  const relayContext = {
    language,
    components: relayErrorSchemas,
    errors: errorsOfRelay,
    routeOf: routeFinder(),
  };
  const placed = [
    ...relayCalls.map((call) => relayOperation(call, relayContext)),
    ...consoleCalls().map((named) => consoleOperation(named, context)),
  ];
  return {
    openapi: '3.1.1',
    info: { title: product.name, version, description: about[language] },
    servers: [{ url: '/' }],
    tags: tagsIn(language),
    paths: groupByPath(placed),
    components: {
      schemas: { ...refusalSchemas(language), ...relayErrorSchemas, ...schemas.components },
      responses: { ...errorsOfRelay.components, ...refused.components },
      examples: Object.fromEntries(
        Object.keys(errors).map((code) => [code, errorExample(code as ErrorCode, language)]),
      ),
      securitySchemes: Object.fromEntries(
        Object.entries(securitySchemes).map(([name, write]) => [name, write(language)]),
      ),
    },
  };
}
