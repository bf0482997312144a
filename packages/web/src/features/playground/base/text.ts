import { texts } from '../../../lib/i18n.ts';

export const text = texts({
  title: { zh: '操练场', en: 'Playground' },
  balance: { zh: '余额', en: 'Balance' },
  spent: { zh: '本次对话', en: 'This chat' },
  panel: { zh: '参数', en: 'Settings' },
  showPanel: { zh: '显示参数', en: 'Show settings' },
  hidePanel: { zh: '隐藏参数', en: 'Hide settings' },
  closePanel: { zh: '关闭', en: 'Close' },
  clear: { zh: '清除上下文', en: 'Clear context' },
  cleared: {
    zh: '上下文已清除，以上内容不再发送',
    en: 'Context cleared: the messages above are no longer sent',
  },
  startOver: { zh: '新对话', en: 'New chat' },
  startOverTitle: { zh: '开始新对话？', en: 'Start a new chat?' },
  startOverBody: {
    zh: '当前对话只保存在这个浏览器里，清空后无法恢复。',
    en: 'This conversation is kept only in this browser and cannot be recovered.',
  },
  conversation: { zh: '对话', en: 'Conversation' },
  greetingQuestion: { zh: '你好', en: 'Hello' },
  greetingAnswer: {
    zh: '你好，请问有什么可以帮助您的吗？',
    en: 'Hello! How can I help you today?',
  },
  greetingNote: { zh: '示例对话，不会发送，也不计费', en: 'Sample: not sent, costs nothing' },
  tryOne: { zh: '试试这些', en: 'Try one of these' },
  ideaExplain: {
    zh: '用三句话解释什么是流式输出',
    en: 'Explain streaming output in three sentences',
  },
  ideaCode: {
    zh: '写一个 Python 函数，判断字符串是否回文',
    en: 'Write a Python function that checks for palindromes',
  },
  ideaTable: {
    zh: '用表格比较 JSON、YAML 和 TOML',
    en: 'Compare JSON, YAML and TOML in a table',
  },
  toLatest: { zh: '回到最新', en: 'Jump to latest' },
  you: { zh: '您', en: 'You' },
  image: { zh: '图片 {index}', en: 'Image {index}' },
  lostImages: {
    zh: '{count} 张图片未保存',
    en: { one: '{count} image was not saved', other: '{count} images were not saved' },
  },
  edit: { zh: '编辑', en: 'Edit' },
  editField: { zh: '编辑消息', en: 'Edit the message' },
  resend: { zh: '重新发送', en: 'Send again' },
  resendHint: { zh: '之后的消息会被替换', en: 'Later messages will be replaced' },
  cancel: { zh: '取消', en: 'Cancel' },
  copyMessage: { zh: '消息', en: 'message' },
  copyAnswer: { zh: '回答', en: 'answer' },
  regenerate: { zh: '重新生成', en: 'Regenerate' },
  retry: { zh: '重试', en: 'Try again' },
  raw: { zh: '原始数据', en: 'Raw data' },
  receipt: { zh: '查看收据', en: 'See the receipt' },
  thinking: { zh: '思考中…', en: 'Thinking…' },
  waiting: { zh: '等待回答…', en: 'Waiting for the answer…' },
  thought: { zh: '思考过程', en: 'Reasoning' },
  thoughtFor: { zh: '思考了 {time}', en: 'Thought for {time}' },
  answered: { zh: '回答完成', en: 'Answer complete' },
  failed: { zh: '回答失败', en: 'The answer failed' },
  stopped: { zh: '已停止', en: 'Stopped' },
  cutShort: { zh: '达到最大输出长度', en: 'Cut at the token limit' },
  filtered: { zh: '被内容过滤截断', en: 'Cut by a content filter' },
  emptyAnswer: { zh: '（空回答）', en: '(empty answer)' },
  firstToken: { zh: '首字 {time}', en: 'first token {time}' },
  total: { zh: '共 {time}', en: '{time} in all' },
  tokens: { zh: '输入 {input} · 输出 {output}', en: '{input} in · {output} out' },
  speed: { zh: '{count} Token/秒', en: '{count} tokens/s' },
  cost: { zh: '费用', en: 'Cost' },
});

export const composerText = texts({
  field: { zh: '消息', en: 'Message' },
  placeholder: { zh: '输入消息，可粘贴或拖入图片', en: 'Write a message; paste or drop images' },
  attach: { zh: '添加图片', en: 'Add images' },
  removeImage: { zh: '移除图片 {index}', en: 'Remove image {index}' },
  send: { zh: '发送', en: 'Send' },
  stop: { zh: '停止', en: 'Stop' },
  keys: {
    zh: 'Enter 发送 · Shift + Enter 换行 · Esc 停止',
    en: 'Enter sends · Shift + Enter for a new line · Esc stops',
  },
  drop: { zh: '松开以添加图片', en: 'Drop to add the images' },
  notImages: {
    zh: '只能添加 PNG、JPEG、WebP 或 GIF 图片',
    en: 'Only PNG, JPEG, WebP and GIF images can be added',
  },
  tooMany: {
    zh: '一条消息最多 {count} 张图片',
    en: { one: 'A message takes at most {count} image', other: 'A message takes at most {count} images' },
  },
  badImage: { zh: '图片“{name}”无法读取', en: 'The image “{name}” cannot be read' },
});

export const panelText = texts({
  group: { zh: '分组', en: 'Group' },
  own: { zh: '您的分组', en: 'yours' },
  model: { zh: '模型', en: 'Model' },
  noModels: { zh: '没有可用的模型', en: 'No model is available' },
  noMatch: { zh: '没有匹配的模型', en: 'No model matches' },
  modelsHere: { zh: '当前分组', en: 'In this group' },
  modelsElsewhere: { zh: '需要切换分组', en: 'In other groups' },
  perMillion: { zh: '输入 {input} · 输出 {output} / 1M', en: '{input} in · {output} out / 1M' },
  perCall: { zh: '{price} / 次', en: '{price} per call' },
  perSecond: { zh: '{price} / 秒', en: '{price} per second' },
  free: { zh: '免费', en: 'Free' },
  unset: { zh: '未设置价格', en: 'No price set' },
  switched: { zh: '已切换到分组 {group}', en: 'Switched to the group {group}' },
  temperature: { zh: '温度', en: 'Temperature' },
  temperatureHint: {
    zh: '越低越确定，越高越发散',
    en: 'Lower is more predictable, higher more varied',
  },
  byModel: { zh: '模型默认', en: 'Model default' },
  reset: { zh: '恢复模型默认', en: 'Reset to model default' },
  maxTokens: { zh: '最大输出 Token 数', en: 'Max tokens' },
  maxTokensHint: { zh: '0 为模型默认', en: '0 for the model default' },
  system: { zh: '系统提示词', en: 'System prompt' },
  systemHint: { zh: '留空则不发送', en: 'Leave empty to send none' },
  systemDefault: { zh: '你是一个乐于助人的助手。', en: 'You are a helpful assistant.' },
});

export const rawText = texts({
  title: { zh: '原始数据', en: 'Raw data' },
  request: { zh: '请求', en: 'Request' },
  stream: { zh: '流', en: 'Stream' },
  answer: { zh: '回答', en: 'Answer' },
  curlNote: {
    zh: '用您的令牌替换 $API_KEY；分组由令牌决定。',
    en: 'Set $API_KEY to a key of yours, which also decides the group.',
  },
  gone: {
    zh: '原始数据只在本次访问中保留，刷新页面后不再可用。',
    en: 'Raw data is kept only for this visit; after a reload it is gone.',
  },
  noEvents: { zh: '没有收到任何事件。', en: 'No events received.' },
  imageCut: {
    zh: '…（{count} 个字符）',
    en: { one: '… ({count} character)', other: '… ({count} characters)' },
  },
  requestId: { zh: '请求 ID', en: 'Request ID' },
  events: {
    zh: '{count} 个事件',
    en: { one: '{count} event', other: '{count} events' },
  },
});

/** Explanations of common refusals, with the next step. */
export const problemText = texts({
  quota: { zh: '余额不足，无法完成这次调用。', en: 'Your balance does not cover this call.' },
  topUp: { zh: '去充值', en: 'Top up' },
  noChannel: {
    zh: '分组 {group} 下没有可用的渠道提供 {model}。换一个模型或分组再试。',
    en: 'No channel in the group {group} offers {model} at the moment. Try another model or group.',
  },
  groupDenied: { zh: '您不能使用分组 {group}。', en: 'You cannot use the group {group}.' },
  busy: {
    zh: '上游繁忙或请求过多，请稍后再试。',
    en: 'The vendor is busy, or there were too many requests. Try again later.',
  },
  broken: {
    zh: '上游在回答中途断开，以上内容不完整。',
    en: 'The vendor disconnected; the answer above is incomplete.',
  },
  offline: {
    zh: '连接中断，请检查网络后重试。',
    en: 'The connection was lost. Check the network and try again.',
  },
  sensitive: { zh: '消息包含敏感词，未发送。', en: 'The message contains a blocked word and was not sent.' },
  noPrice: {
    zh: '模型 {model} 尚未设置价格，请联系管理员。',
    en: 'No price is set for {model}; tell the administrator.',
  },
  noPriceYet: { zh: '模型 {model} 尚未设置价格。', en: 'No price is set for {model}.' },
  setPrice: { zh: '定价', en: 'Set its price' },
  logRow: { zh: '查看日志', en: 'See its log' },
  tooLarge: {
    zh: '消息过大，请减少图片或清除上下文。',
    en: 'The message is too large: use fewer images, or clear the context.',
  },
  expired: { zh: '登录已过期，请重新登录。', en: 'Your session has expired; please log in again.' },
  upstream: { zh: '上游返回了错误。', en: 'The vendor answered with an error.' },
  other: { zh: '这次调用没有成功。', en: 'This call did not succeed.' },
  details: { zh: '详情', en: 'Details' },
});

/** Labels of model kinds. */
export const kindText = texts({
  chat: { zh: '对话', en: 'Chat' },
  embeddings: { zh: '向量', en: 'Embeddings' },
  rerank: { zh: '重排', en: 'Reranking' },
  image: { zh: '图片', en: 'Image' },
  speech: { zh: '语音', en: 'Speech' },
  transcription: { zh: '转写', en: 'Transcription' },
  video: { zh: '视频', en: 'Video' },
  drawing: { zh: '绘图', en: 'Drawing' },
  song: { zh: '歌曲', en: 'Song' },
  lyrics: { zh: '歌词', en: 'Lyrics' },
  other: { zh: '其他', en: 'Other' },
});
