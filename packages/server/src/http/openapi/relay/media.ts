import { count, like, list, model, open, type RelayCall, text } from './call.ts';

const bytes = { type: 'string', contentEncoding: 'binary' };
const images = open(
  {
    created: like(count, 1_764_288_000),
    data: like(list(open({ url: text, b64_json: text })), [{ b64_json: 'iVBORw0KGgo…' }]),
  },
  ['data'],
);

/** Sound as text: transcribed, or translated to English. */
const heard = (name: string, summary: RelayCall['summary']): RelayCall => ({
  method: 'POST',
  path: `/v1/audio/${name}`,
  tag: 'openai',
  name,
  summary,
  request: {
    schema: open({ file: bytes, model, language: text, prompt: text, response_format: text }, [
      'file',
      'model',
    ]),
    example: { file: 'sound.wav', model: 'whisper-1' },
    isForm: true,
  },
  answer: { schema: open({ text: like(text, 'Hello!') }, ['text']) },
});

/** Images, sound, and sessions that stay open. */
export const openaiMedia: readonly RelayCall[] = [
  {
    method: 'POST',
    path: '/v1/images/generations',
    tag: 'openai',
    name: 'images',
    summary: { zh: '生成图片', en: 'Make images' },
    request: {
      schema: open(
        { model, prompt: text, n: count, size: text, quality: text, stream: { type: 'boolean' } },
        ['prompt'],
      ),
      example: { model: 'gpt-image-1', prompt: 'A cat on a roof', size: '1024x1024' },
    },
    answer: { schema: images },
  },
  {
    method: 'POST',
    path: '/v1/images/edits',
    tag: 'openai',
    name: 'image-edits',
    summary: { zh: '编辑图片', en: 'Edit images' },
    request: {
      schema: open({ image: bytes, model, prompt: text, n: count, size: text, mask: bytes }, [
        'image',
        'prompt',
      ]),
      example: { image: 'image.png', model: 'gpt-image-1', prompt: 'Add a hat' },
      isForm: true,
    },
    answer: { schema: images },
  },
  {
    method: 'POST',
    path: '/v1/audio/speech',
    tag: 'openai',
    name: 'speech',
    summary: { zh: '文字转语音', en: 'Speak a text' },
    request: {
      schema: open({ model, input: text, voice: {}, response_format: text, speed: { type: 'number' } }, [
        'input',
      ]),
      example: { model: 'tts-1', input: 'Hello!', voice: 'alloy' },
    },
    answer: { schema: bytes, type: 'audio/mpeg' },
  },
  heard('transcriptions', { zh: '语音转文字', en: 'Transcribe sound' }),
  heard('translations', { zh: '语音翻译成英文', en: 'Translate sound to English' }),
  {
    method: 'GET',
    path: '/v1/realtime',
    tag: 'openai',
    name: 'realtime',
    summary: {
      zh: '实时会话（WebSocket）；普通请求得到 426',
      en: 'A realtime session on a websocket; a plain request is answered 426',
    },
    answer: { status: 426, schema: { $ref: '#/components/schemas/OpenAIError' } },
    parameters: [{ name: 'model', in: 'query', required: true, schema: text, example: 'gpt-realtime' }],
  },
  {
    method: 'POST',
    path: '/v1/realtime/client_secrets',
    tag: 'openai',
    name: 'realtime-secret',
    summary: {
      zh: '为浏览器生成短期密钥：用它开启的实时会话以此配置开始，按本密钥计费',
      en: 'A short-lived secret for browsers: sessions with it begin with this configuration and are those of your key',
    },
    request: {
      schema: open({ expires_after: open({ seconds: count }), session: open({ type: text, model: text }) }),
      example: {
        expires_after: { anchor: 'created_at', seconds: 600 },
        session: { type: 'realtime', instructions: 'Be brief.' },
      },
    },
    answer: {
      schema: open({ value: like(text, 'ek_…'), expires_at: count, session: open({}) }, [
        'value',
        'expires_at',
      ]),
    },
  },
  {
    method: 'POST',
    path: '/v1/realtime/sessions',
    tag: 'openai',
    name: 'realtime-session',
    summary: { zh: '同上，旧版调用', en: 'The same, by the older call' },
    request: {
      schema: open({ model: text, instructions: text }),
      example: { instructions: 'Be brief.' },
    },
    answer: {
      schema: open({ client_secret: open({ value: like(text, 'ek_…'), expires_at: count }) }, [
        'client_secret',
      ]),
    },
  },
];
