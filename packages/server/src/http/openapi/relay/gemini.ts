import { count, exampleGoogleFiles, like, list, open, type RelayCall, slot, text } from './call.ts';

const contents = [{ role: 'user', parts: [{ text: 'Hello!' }] }];
const content = { parts: [{ text: 'Hello!' }] };
const generate = {
  schema: open({ contents: list(), systemInstruction: {}, generationConfig: open({}), tools: list() }, [
    'contents',
  ]),
  example: { contents },
} as const;
const values = open({ values: like(list({ type: 'number' }), [0.25, -0.5]) }, ['values']);
const modelEntry = open({ name: like(text, 'models/gpt-4o-mini'), displayName: like(text, 'gpt-4o-mini') }, [
  'name',
]);
const candidates = like(list(), [
  {
    index: 0,
    content: { role: 'model', parts: [{ text: 'Hello! How can I help you?' }] },
    finishReason: 'STOP',
  },
]);

const call = (
  verb: string,
  model: string,
): Pick<RelayCall, 'method' | 'path' | 'tag' | 'name' | 'parameters'> => ({
  method: 'POST',
  path: `/v1beta/models/{model}:${verb}`,
  tag: 'gemini',
  name: verb,
  parameters: [slot('model', model)],
});

const fileName = `files/${exampleGoogleFiles.file}`;
const keptFile = open(
  {
    name: like(text, fileName),
    uri: like(text, `https://generativelanguage.googleapis.com/v1beta/${fileName}`),
    mimeType: like(text, 'text/plain'),
    sizeBytes: like(text, '1'),
    state: like(text, 'ACTIVE'),
    expirationTime: text,
  },
  ['name', 'uri'],
);

/** Files that Google keeps for two days. */
const fileCalls: readonly RelayCall[] = [
  {
    method: 'POST',
    path: '/upload/v1beta/files',
    tag: 'gemini',
    name: 'file-upload',
    summary: {
      zh: '开始上传文件：答复头 x-goog-upload-url 是上传内容的地址（X-Goog-Upload 协议，或 multipart/related 一次完成）',
      en: 'Begin an upload; the header x-goog-upload-url is the address for the bytes. Or multipart/related in one request',
    },
    request: {
      schema: open({ file: open({ displayName: text, mimeType: text, name: text }) }),
      example: { file: { displayName: 'a.txt', mimeType: 'text/plain' } },
    },
    answer: { schema: open({ file: keptFile }) },
  },
  {
    method: 'GET',
    path: '/v1beta/files',
    tag: 'gemini',
    name: 'files',
    summary: { zh: '列出自己的文件（Gemini）', en: 'List your files at Google' },
    answer: { schema: open({ files: list(keptFile), nextPageToken: text }, ['files']) },
  },
  {
    method: 'GET',
    path: '/v1beta/files/{id}',
    tag: 'gemini',
    name: 'file',
    summary: { zh: '查询自己的文件（Gemini）', en: 'Describe one of your files at Google' },
    parameters: [slot('id', exampleGoogleFiles.file)],
    answer: { schema: keptFile },
  },
  {
    method: 'GET',
    path: '/v1beta/files/{id}:download',
    tag: 'gemini',
    name: 'file-download',
    summary: { zh: '读取文件内容（Gemini）', en: 'Read the content of a file at Google' },
    parameters: [slot('id', exampleGoogleFiles.file)],
    answer: { schema: { type: 'string', format: 'binary' }, type: 'text/plain' },
  },
  {
    method: 'DELETE',
    path: '/v1beta/files/{id}',
    tag: 'gemini',
    name: 'file-delete',
    summary: { zh: '删除文件（Gemini）', en: 'Delete a file at Google' },
    parameters: [slot('id', exampleGoogleFiles.formerFile)],
    answer: { schema: open({}) },
  },
];

const cacheName = 'cachedContents/c1';
const cached = open(
  {
    name: like(text, cacheName),
    model: like(text, 'models/gemini-2.5-flash'),
    expireTime: text,
    usageMetadata: open({ totalTokenCount: count }),
  },
  ['name', 'model'],
);
const cacheCall = (
  method: RelayCall['method'],
  name: string,
  id?: string,
): Pick<RelayCall, 'method' | 'path' | 'tag' | 'name' | 'parameters'> => ({
  method,
  path: id === undefined ? '/v1beta/cachedContents' : '/v1beta/cachedContents/{id}',
  tag: 'gemini',
  name,
  ...(id !== undefined && { parameters: [slot('id', id)] }),
});

/** Content that Google caches. */
const cacheCalls: readonly RelayCall[] = [
  {
    ...cacheCall('POST', 'cache-create'),
    summary: {
      zh: '缓存内容（Gemini）：按输入计费，并按时间收取存储费',
      en: 'Cache content at Google: charged as input, and by the hour for its storage',
    },
    request: {
      schema: open({ model: text, contents: list(), systemInstruction: {}, ttl: text }, ['model']),
      example: { model: 'models/gemini-2.5-flash', contents, ttl: '3600s' },
    },
    answer: { schema: cached },
  },
  {
    ...cacheCall('GET', 'caches'),
    summary: { zh: '列出自己的缓存内容', en: 'List your cached content' },
    answer: { schema: open({ cachedContents: list(cached), nextPageToken: text }, ['cachedContents']) },
  },
  {
    ...cacheCall('GET', 'cache', 'c1'),
    summary: { zh: '查询自己的缓存内容', en: 'Describe cached content of yours' },
    answer: { schema: cached },
  },
  {
    ...cacheCall('PATCH', 'cache-update', 'c1'),
    summary: { zh: '更改缓存内容的有效期', en: 'Change how long content is cached' },
    request: { schema: open({ ttl: text, expireTime: text }), example: { ttl: '7200s' } },
    answer: { schema: cached },
  },
  {
    ...cacheCall('DELETE', 'cache-delete', 'c1'),
    summary: {
      zh: '删除缓存内容，退还剩余存储费',
      en: 'Delete cached content; the rest of its storage is returned',
    },
    answer: { schema: open({}) },
  },
];

const live = (path: string, name: string, version: string): RelayCall => ({
  method: 'GET',
  path: `/ws/google.${path}`,
  tag: 'gemini',
  name,
  summary: {
    zh: 'Gemini Live 会话（WebSocket）；普通请求得到 426',
    en: 'A session of Gemini Live on a websocket; a plain request is answered 426',
  },
  answer: { status: 426, schema: { $ref: '#/components/schemas/GoogleError' } },
  parameters: [slot('version', version)],
});

/** Gemini Live: its sockets, and tokens with which browsers open them. */
const liveCalls: readonly RelayCall[] = [
  live('ai.generativelanguage.{version}.GenerativeService.BidiGenerateContent', 'live', 'v1beta'),
  live(
    'ai.generativelanguage.{version}.GenerativeService.BidiGenerateContentConstrained',
    'live-constrained',
    'v1alpha',
  ),
  live('cloud.aiplatform.{version}.LlmBidiService/BidiGenerateContent', 'live-vertex', 'v1beta1'),
  {
    method: 'POST',
    path: '/v1alpha/auth_tokens',
    tag: 'gemini',
    name: 'live-token',
    summary: {
      zh: '为浏览器生成 Gemini Live 的短期凭证，按本密钥计费',
      en: 'A short-lived credential with which browsers open sessions of Gemini Live of your key',
    },
    request: {
      schema: open({
        uses: count,
        expireTime: text,
        newSessionExpireTime: text,
        bidiGenerateContentSetup: open({}),
        fieldMask: text,
      }),
      example: { uses: 1, bidiGenerateContentSetup: { model: 'models/gpt-4o-mini' } },
    },
    answer: {
      schema: open({ name: like(text, 'auth_tokens/…'), expireTime: text, newSessionExpireTime: text }, [
        'name',
      ]),
    },
  },
];

/** Imagen, by Google's own call. */
const predict = {
  request: {
    schema: open(
      { instances: list(open({ prompt: text }, ['prompt'])), parameters: open({ sampleCount: count }) },
      ['instances'],
    ),
    example: { instances: [{ prompt: 'A cat on a roof' }], parameters: { sampleCount: 1 } },
  },
  answer: {
    schema: open({
      predictions: like(list(), [{ mimeType: 'image/png', bytesBase64Encoded: 'iVBORw0KGgo…' }]),
    }),
  },
} as const;

/** Gemini's calls, which are also below `/v1`. */
export const geminiCalls: readonly RelayCall[] = [
  ...fileCalls,
  ...cacheCalls,
  ...liveCalls,
  {
    ...call('generateContent', 'gpt-4o-mini'),
    summary: { zh: '生成内容', en: 'Generate content' },
    request: generate,
    answer: {
      schema: open(
        {
          candidates,
          usageMetadata: like(open({}), {
            promptTokenCount: 40,
            candidatesTokenCount: 12,
            totalTokenCount: 52,
          }),
        },
        ['candidates'],
      ),
    },
  },
  {
    ...call('streamGenerateContent', 'gpt-4o-mini'),
    summary: {
      zh: '流式生成内容；加 alt=sse 得到事件流',
      en: 'Generate content in pieces; as events with alt=sse',
    },
    request: generate,
    answer: { schema: list(open({ candidates })) },
  },
  {
    ...call('countTokens', 'gpt-4o-mini'),
    summary: {
      zh: '计算输入的 token 数（Gemini），不计费',
      en: 'Count the tokens of contents; costs nothing',
    },
    request: {
      schema: open({ contents: list(), generateContentRequest: open({}) }),
      example: { contents },
    },
    answer: { schema: open({ totalTokens: like(count, 9) }, ['totalTokens']) },
  },
  {
    ...call('embedContent', 'gemini-embedding-001'),
    summary: { zh: '向量嵌入（Gemini）', en: 'Embed a content' },
    request: { schema: open({ content: open({}) }, ['content']), example: { content } },
    answer: { schema: open({ embedding: values }, ['embedding']) },
  },
  {
    ...call('batchEmbedContents', 'gemini-embedding-001'),
    summary: { zh: '批量向量嵌入（Gemini）', en: 'Embed several contents' },
    request: {
      schema: open({ requests: list(open({})) }, ['requests']),
      example: { requests: [{ model: 'models/gemini-embedding-001', content }] },
    },
    answer: { schema: open({ embeddings: list(values) }, ['embeddings']) },
  },
  {
    ...call('predict', 'imagen-4.0-generate-001'),
    summary: {
      zh: '生成图片（Imagen，仅 Gemini 与 Vertex 渠道）',
      en: 'Make images with Imagen, on channels of Google',
    },
    ...predict,
  },
  {
    ...call('predict', 'imagen-4.0-generate-001'),
    path: '/v1/publishers/google/models/{model}:predict',
    name: 'vertex-predict',
    summary: { zh: '生成图片（Vertex）', en: 'Make images, by Vertex’s call' },
    ...predict,
  },
  {
    method: 'GET',
    path: '/v1beta/models',
    tag: 'gemini',
    name: 'models',
    summary: { zh: '列出可用模型（Gemini 格式）', en: 'List models in Gemini’s form' },
    answer: { schema: open({ models: list(modelEntry) }, ['models']) },
  },
  {
    method: 'GET',
    path: '/v1beta/models/{model}',
    tag: 'gemini',
    name: 'model',
    summary: { zh: '读取一个模型（Gemini 格式）', en: 'Read a model in Gemini’s form' },
    answer: { schema: modelEntry },
    parameters: [slot('model', 'gpt-4o-mini')],
  },
];
