/** A rule for a field of a body. The `code` on the wire depends on the endpoint, for example `invalid_text_request`. */
const rule = <Zh extends string, En extends string>(zh: Zh, en: En) =>
  ({ status: 400, blame: 'caller', code: 'invalid_request', zh, en }) as const;

/** Errors of fields in a body. */
export const fieldErrors = {
  field_required: rule('缺少必填字段 {field}', 'field {field} is required'),
  one_field_required: rule('字段 {field} 必须有且只有一个', 'one field {field} is required'),
  field_not_specified: rule('未指定 {field}', '{field} is not specified'),
  field_empty: rule('{field} 不能为空', '{field} must not be empty'),
  field_out_of_range: rule(
    '{field} 必须是 {least} 到 {most} 之间的整数',
    '{field} must be a whole number from {least} to {most}',
  ),
  field_not_boolean: rule('{field} 只能是 true 或 false', '{field} must be true or false'),
  field_not_object: rule('{field} 必须是对象', '{field} must be an object'),
  field_not_objects: rule('{field} 的每一项必须是对象', 'each of {field} must be an object'),
  field_not_text: rule('{field} 必须是文本', '{field} must be a text'),
  field_not_choice: rule('{field} 只能是 {choices} 之一', '{field} must be one of: {choices}'),
  field_is_file: rule('字段 {field} 必须是文本，不能是文件', 'field {field} must be a text and no file'),
  path_without_model: rule('路径中必须包含模型名称', 'the path must name a model'),
  message_without_role: rule('每条消息都需要 role', 'each message needs a role'),
  message_role_missing: rule(
    '每条消息的 role 必须是 user 或 assistant',
    'each message needs the role user or assistant',
  ),
  role_unknown: rule('未知的 role：{role}', 'the role {role} is not known'),
  content_not_parts: rule(
    '消息的 content 必须是文本或内容片段的列表',
    'the content of a message must be text or a list of parts',
  ),
  content_not_blocks: rule(
    '每条消息的 content 必须是文本或内容块的列表',
    'the content of each message must be a text or a list of blocks',
  ),
  content_part_not_object: rule('每个内容片段必须是对象', 'each content part must be an object'),
  content_block_not_object: rule('每个内容块必须是对象', 'each content block must be an object'),
  block_field_missing: rule('{block} 内容块缺少字段 {field}', 'a {block} block needs the field {field}'),
  image_without_url: rule('图片需要 url', 'an image needs a url'),
  image_url_malformed: rule('图片需要 http 地址或 data URL', 'an image needs an http address or a data URL'),
  file_without_data: rule('文件需要 file_data 或 file_id', 'a file needs file_data or file_id'),
  source_missing: rule('图片或文档需要 source', 'an image or document needs a source'),
  source_unknown: rule('图片或文档的 source 类型未知', 'the source of an image or document is not known'),
  thinking_without_budget: rule('thinking 需要 budget_tokens', 'thinking needs budget_tokens'),
  tool_not_object: rule('每个工具必须是对象', 'each tool must be an object'),
  tool_without_name: rule('每个工具都需要 name', 'each tool needs a name'),
  tool_choice_without_name: rule('tool_choice 需要 name', 'tool_choice needs a name'),
  tool_choice_unknown: rule('未知的 tool_choice', 'tool_choice is not known'),
  background_not_streamed: rule(
    '后台响应（background）在此只能以流的方式请求：之后没有地方可以取回它们',
    'background responses can only be streamed here: there is nothing to fetch them from later',
  ),
  input_malformed: rule('input 必须是文本或条目的列表', 'input must be a text or a list of items'),
  input_item_not_object: rule('input 的每一项必须是对象', 'each item of input must be an object'),
  document_malformed: rule(
    '每个文档必须是文本，或含有文本或图片的对象',
    'each document must be a text, or an object with a text or an image',
  ),
  previous_response_not_found: {
    status: 400,
    blame: 'caller',
    type: 'invalid_request_error',
    zh: '未找到 ID 为 “{id}” 的先前响应：它在此未知，或其渠道已不可用',
    en: "Previous response with id '{id}' not found: it is unknown here, or its channel is gone",
  },
  response_not_found: {
    status: 404,
    blame: 'caller',
    type: 'invalid_request_error',
    zh: '未找到 ID 为 “{id}” 的响应：它在此未知，或其渠道已不可用',
    en: "Response with id '{id}' not found: it is unknown here, or its channel is gone",
  },
  file_not_found: {
    status: 404,
    blame: 'caller',
    zh: '未找到 ID 为 “{id}” 的文件：它在此未知，或其渠道不能处理该请求',
    en: "File with id '{id}' not found: it is unknown here, or its channel does not serve this call",
  },
  files_full: {
    status: 413,
    blame: 'caller',
    zh: '您的文件已达到 {limit} MB 或 1 万个的上限，请先删除一些',
    en: 'your files have reached the limit of {limit} MB or 10,000 files, delete some first',
  },
  response_ended: {
    status: 400,
    blame: 'caller',
    type: 'invalid_request_error',
    zh: '响应 “{id}” 已结束：可以读取和删除，不能取消或再次流式读取',
    en: 'The response {id} has ended: it can be read and deleted, but not cancelled or streamed again',
  },
  conversation_not_found: {
    status: 404,
    blame: 'caller',
    type: 'invalid_request_error',
    zh: '未找到 ID 为 “{id}” 的对话：此处不提供对话，请使用 previous_response_id',
    en: "Conversation with id '{id}' not found: there are none here, use previous_response_id",
  },
  too_many_images: {
    ...rule('消息中的图片过多，最多 {most} 张', 'too many images in the message, max allowed is {most}'),
    code: 'too_many_images',
  },
} as const;
