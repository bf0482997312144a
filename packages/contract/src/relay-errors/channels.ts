import type { RelayErrorEntry } from './entry.ts';

/** A request for something that a channel does not have. Another channel may have it. */
const wrongType = <Zh extends string, En extends string>(zh: Zh, en: En) =>
  ({ status: 400, blame: 'caller', code: 'invalid_api_type', zh, en }) as const;

/** Errors of channels: none available, unsuitable for the call, wrong settings. */
export const channelErrors = {
  no_available_channel: {
    status: 503,
    blame: 'ours',
    zh: '当前分组 {group} 下对于模型 {model} 无可用渠道',
    en: 'No available channels for model {model} under current group {group}',
  },
  background_not_offered: wrongType(
    '该渠道不能在后台运行响应：请改用流式请求，或去掉 background',
    'this channel runs no responses in the background: request a stream, or no background',
  ),
  channels_outside_rule: {
    status: 403,
    blame: 'caller',
    zh: '没有渠道可以提供 {wanted}：该令牌或其组织的规则只允许 {rule}',
    en: 'No channel may serve {wanted}: the rule of this API key or its organisation permits only {rule}',
  },
  model_mapping_contains_cycle: {
    status: 500,
    blame: 'ours',
    isFinal: true,
    zh: '该渠道的模型重定向在 {model} 处形成循环',
    en: 'the model mapping of this channel runs in a circle at {model}',
  },
  channel_test_unsupported: {
    status: 400,
    blame: 'caller',
    code: 'not_implemented',
    zh: '该渠道类型不支持测试',
    en: 'Channels of this type cannot be tested',
  },
  tool_not_found: {
    status: 404,
    blame: 'caller',
    zh: '没有名为 {tool} 的工具',
    en: 'There is no tool {tool}',
  },
  tools_only_post: {
    status: 405,
    blame: 'caller',
    zh: '工具只接受 POST 请求',
    en: 'Tools take POST requests only',
  },
  channel_type_unknown: wrongType('未知的渠道类型 {type}', 'channel type {type} is not known'),
  channel_without_protocol: wrongType(
    '{provider} 渠道不支持 {protocol} 协议',
    '{provider} channels do not speak {protocol}',
  ),
  vendor_closed: wrongType(
    '渠道类型 {provider} 的上游服务已停止，不会再向其发送请求',
    'nothing is sent to channels of {provider}: the service behind them has ended',
  ),
  channel_without_sockets: wrongType(
    '{provider} 渠道没有实时会话',
    '{provider} channels have no realtime sockets',
  ),
  vertex_key_without_models: wrongType(
    '使用 API 密钥的 Vertex AI 渠道不支持 {models}',
    'Vertex AI channels with an API key do not serve {models}',
  ),
  vertex_key_unusable: {
    status: 401,
    blame: 'channel',
    code: 'invalid_channel_key',
    type: 'authentication_error',
    zh: '此 Vertex AI 渠道的密钥无法使用：{detail}',
    en: 'the key of this Vertex AI channel cannot be used: {detail}',
  },
  bedrock_key_malformed: {
    status: 401,
    blame: 'channel',
    code: 'invalid_channel_key',
    zh: 'Bedrock 渠道的密钥格式为 AccessKey|SecretKey|Region 或 APIKey|Region，区域例如 us-east-1',
    en: 'the key of a Bedrock channel has the form AccessKey|SecretKey|Region, or APIKey|Region, e.g. with us-east-1 as its region',
  },
  key_form: {
    status: 401,
    blame: 'channel',
    code: 'invalid_channel_key',
    zh: '该渠道的密钥格式应为 {form}',
    en: 'the key of this channel must have the form {form}',
  },
  volcengine_speech_key_malformed: {
    status: 401,
    blame: 'channel',
    code: 'invalid_channel_key',
    zh: '火山引擎语音需要 appid|token 格式的密钥',
    en: 'speech at VolcEngine needs a key of the form appid|token',
  },
  vertex_region_missing: {
    status: 500,
    blame: 'channel',
    code: 'invalid_channel_region',
    zh: '此 Vertex AI 渠道没有该模型可用的区域',
    en: 'this Vertex AI channel names no usable region for the model',
  },
  template_unusable: {
    status: 500,
    blame: 'channel',
    code: 'invalid_channel',
    zh: '该渠道的路径和请求头模板无法使用：{detail}',
    en: 'the template of paths and headers of this channel cannot be used: {detail}',
  },
  channel_without_account: {
    status: 503,
    blame: 'channel',
    code: 'invalid_channel',
    zh: '该渠道没有填写账户',
    en: 'this channel names no account',
  },
  channel_without_bot: {
    status: 503,
    blame: 'channel',
    code: 'invalid_channel',
    zh: '该渠道没有填写机器人',
    en: 'this channel names no bot',
  },
} as const satisfies Record<string, RelayErrorEntry>;

/** Faults of a Vertex AI channel's key. */
export const vertexKeyFaults = {
  malformed: {
    zh: '既不是 API 密钥，也不是服务账号的 JSON',
    en: 'it is neither an API key nor the JSON of a service account',
  },
  field_missing: {
    zh: '服务账号的 JSON 中缺少 {field}',
    en: '{field} is missing in the JSON of the service account',
  },
  foreign_token_uri: {
    zh: '其中的 token_uri 不是 Google 的地址',
    en: 'its token_uri is not an address of Google',
  },
  unusable_private_key: {
    zh: '其中的 private_key 不能用于 RS256 签名',
    en: 'its private_key cannot sign with RS256',
  },
  refused: { zh: 'Google 拒绝了它（{reason}）', en: 'Google refused it ({reason})' },
} as const;
