import {
  count,
  exampleContainers,
  exampleFiles,
  exampleConversations,
  exampleResponses,
  like,
  list,
  model,
  open,
  type RelayCall,
  slot,
  stream,
  text,
} from './call.ts';

const messages = [{ role: 'user', content: 'Hello!' }];
const answered = 'Hello! How can I help you?';
const usage = like(open({ prompt_tokens: count, completion_tokens: count, total_tokens: count }), {
  prompt_tokens: 40,
  completion_tokens: 12,
  total_tokens: 52,
});
const modelName = like(text, 'gpt-4o-mini');
const modelObject = open({ id: modelName, object: { const: 'model' }, owned_by: like(text, 'openai') }, [
  'id',
  'object',
]);
const ofResponse = { tag: 'openai', parameters: [slot('id', exampleResponses.response)] } as const;
/** A response that its vendor stores. */
const storedResponse = open(
  {
    id: like(text, exampleResponses.response),
    object: { const: 'response' },
    status: like(text, 'completed'),
    output: list(),
  },
  ['id', 'object', 'output'],
);
const ofConversation = {
  tag: 'openai',
  parameters: [slot('id', exampleConversations.conversation)],
} as const;
const ofConversationItem = {
  tag: 'openai',
  parameters: [slot('id', exampleConversations.conversation), slot('item', 'msg_example')],
} as const;
/** A conversation that its vendor or the gateway keeps. */
const keptConversation = open(
  { id: like(text, exampleConversations.conversation), object: { const: 'conversation' }, metadata: {} },
  ['id', 'object'],
);
const conversationItems = open({ object: { const: 'list' }, data: list() }, ['object', 'data']);
const exampleItem = { type: 'message', role: 'user', content: 'Hello!' };
const ofContainer = { tag: 'openai', parameters: [slot('id', exampleContainers.container)] } as const;
const ofContainerFile = {
  tag: 'openai',
  parameters: [slot('id', exampleContainers.container), slot('file', 'cfile_1abc')],
} as const;
const keptContainer = open({ id: like(text, exampleContainers.container), name: text, status: text }, ['id']);
const containerFile = open({ id: like(text, 'cfile_1abc'), container_id: text, path: text }, ['id']);
const deleted = open({ id: text, deleted: { const: true } }, ['id', 'deleted']);

/** Containers in which OpenAI runs code. */
const containerCalls: readonly RelayCall[] = [
  {
    method: 'POST',
    path: '/v1/containers',
    tag: 'openai',
    name: 'container-create',
    summary: {
      zh: '创建代码容器（OpenAI 与 Azure 渠道），按内存大小收取首个 20 分钟的费用',
      en: 'Make a container for code at OpenAI or Azure; its first 20 minutes are charged by its memory',
    },
    request: {
      schema: open({ name: text, file_ids: list(), memory_limit: text, expires_after: open({}) }, ['name']),
      example: { name: 'lab', memory_limit: '1g' },
    },
    answer: { schema: keptContainer },
  },
  {
    method: 'GET',
    path: '/v1/containers',
    tag: 'openai',
    name: 'containers',
    summary: { zh: '列出自己创建的容器', en: 'List the containers that you made' },
    answer: { schema: open({ data: list(keptContainer), has_more: { type: 'boolean' } }, ['data']) },
  },
  {
    ...ofContainer,
    method: 'GET',
    path: '/v1/containers/{id}',
    name: 'container',
    summary: { zh: '查询自己的容器', en: 'Describe one of your containers' },
    answer: { schema: keptContainer },
  },
  {
    ...ofContainer,
    method: 'DELETE',
    path: '/v1/containers/{id}',
    name: 'container-delete',
    summary: { zh: '删除容器', en: 'Delete a container' },
    parameters: [slot('id', exampleContainers.formerContainer)],
    answer: { schema: deleted },
  },
  {
    ...ofContainer,
    method: 'POST',
    path: '/v1/containers/{id}/files',
    name: 'container-file-create',
    summary: {
      zh: '向容器添加文件：上传，或以 file_id 复制自己的文件',
      en: 'Add a file to a container: an upload, or a copy of one of your files by its file_id',
    },
    request: {
      schema: open({ file: { type: 'string', format: 'binary' } }, ['file']),
      example: { file: 'a.wav' },
      isForm: true,
    },
    answer: { schema: containerFile },
  },
  {
    ...ofContainer,
    method: 'GET',
    path: '/v1/containers/{id}/files',
    name: 'container-files',
    summary: { zh: '列出容器中的文件', en: 'List the files in a container' },
    answer: { schema: open({ data: list(containerFile) }, ['data']) },
  },
  {
    ...ofContainerFile,
    method: 'GET',
    path: '/v1/containers/{id}/files/{file}',
    name: 'container-file',
    summary: { zh: '查询容器中的文件', en: 'Describe a file in a container' },
    answer: { schema: containerFile },
  },
  {
    ...ofContainerFile,
    method: 'GET',
    path: '/v1/containers/{id}/files/{file}/content',
    name: 'container-file-content',
    summary: { zh: '读取容器中的文件', en: 'Read a file in a container' },
    answer: { schema: { type: 'string', format: 'binary' }, type: 'application/octet-stream' },
  },
  {
    ...ofContainerFile,
    method: 'DELETE',
    path: '/v1/containers/{id}/files/{file}',
    name: 'container-file-delete',
    summary: { zh: '删除容器中的文件', en: 'Delete a file in a container' },
    parameters: [slot('id', exampleContainers.container), slot('file', 'cfile_2abc')],
    answer: { schema: deleted },
  },
];

const ofFile = { tag: 'openai', parameters: [slot('id', exampleFiles.file)] } as const;
/** A file that its vendor keeps for the caller. */
const keptFile = open(
  {
    id: like(text, exampleFiles.file),
    object: { const: 'file' },
    bytes: count,
    created_at: count,
    filename: text,
    purpose: like(text, 'user_data'),
  },
  ['id', 'object'],
);
const embeddings = {
  request: {
    schema: open({ model, input: { type: ['string', 'array'] }, encoding_format: text }, ['input']),
    example: { model: 'text-embedding-3-small', input: 'Hello!' },
  },
  answer: {
    schema: open(
      {
        object: { const: 'list' },
        data: list(open({ embedding: like({ type: ['array', 'string'] }, [0.25, -0.5]) })),
        usage,
      },
      ['object', 'data'],
    ),
  },
} as const;

/** Calls for text: chats, responses, completions, embeddings, moderations. */
export const openaiTexts: readonly RelayCall[] = [
  {
    method: 'POST',
    path: '/v1/chat/completions',
    tag: 'openai',
    name: 'chat',
    summary: { zh: '对话补全', en: 'Chat Completions' },
    request: {
      schema: open(
        { model, messages: list(open({ role: text }, ['role'])), stream, max_tokens: count, tools: list() },
        ['model', 'messages'],
      ),
      example: { model: 'gpt-4o-mini', messages },
    },
    answer: {
      schema: open(
        {
          id: like(text, 'chatcmpl-1'),
          object: { const: 'chat.completion' },
          model: modelName,
          choices: like(list(open({ message: open({}) })), [
            { index: 0, message: { role: 'assistant', content: answered }, finish_reason: 'stop' },
          ]),
          usage,
        },
        ['id', 'object', 'choices'],
      ),
    },
    streams: true,
  },
  {
    method: 'POST',
    path: '/v1/responses',
    tag: 'openai',
    name: 'responses',
    summary: { zh: 'Responses 接口', en: 'Responses' },
    request: {
      schema: open(
        { model, input: { type: ['string', 'array'] }, stream, max_output_tokens: count, tools: list() },
        ['model', 'input'],
      ),
      example: { model: 'gpt-4o-mini', input: 'Hello!' },
    },
    answer: {
      schema: open(
        {
          id: like(text, 'resp_1'),
          object: { const: 'response' },
          status: like(text, 'completed'),
          output: like(list(), [
            {
              id: 'msg_1',
              type: 'message',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: answered, annotations: [] }],
            },
          ]),
          usage: like({}, { input_tokens: 40, output_tokens: 12, total_tokens: 52 }),
        },
        ['id', 'object', 'output'],
      ),
    },
    streams: true,
  },
  {
    method: 'POST',
    path: '/v1/responses/compact',
    tag: 'openai',
    name: 'response-compact',
    summary: {
      zh: '压缩对话',
      en: 'Compact a conversation',
    },
    request: {
      schema: open(
        {
          model,
          input: { type: ['string', 'array'] },
          instructions: text,
          previous_response_id: text,
        },
        ['model'],
      ),
      example: { model: 'gpt-4o-mini', input: 'Hello!' },
    },
    answer: {
      schema: open(
        {
          id: like(text, 'resp_1'),
          object: { const: 'response.compaction' },
          output: like(list(), [{ id: 'cmp_1', type: 'compaction', encrypted_content: 'gAAAAB' }]),
          usage: like({}, { input_tokens: 40, output_tokens: 12, total_tokens: 52 }),
        },
        ['id', 'object', 'output'],
      ),
    },
  },
  {
    method: 'GET',
    path: '/v1/responses',
    tag: 'openai',
    name: 'responses-socket',
    summary: {
      zh: '通过 WebSocket 使用 Responses；普通请求得到 426',
      en: 'Responses over a websocket; a plain request is answered 426',
    },
    answer: { status: 426, schema: { $ref: '#/components/schemas/OpenAIError' } },
  },
  {
    method: 'POST',
    path: '/v1/responses/input_tokens',
    tag: 'openai',
    name: 'response-input-tokens',
    summary: { zh: '计算输入的 token 数，不计费', en: 'Count the tokens of an input; costs nothing' },
    request: {
      schema: open({ model, input: { type: ['string', 'array'] }, tools: list() }, ['model', 'input']),
      example: { model: 'gpt-4o-mini', input: 'Hello!' },
    },
    answer: {
      schema: open({ object: { const: 'response.input_tokens' }, input_tokens: like(count, 9) }, [
        'object',
        'input_tokens',
      ]),
    },
  },
  {
    ...ofResponse,
    method: 'GET',
    path: '/v1/responses/{id}',
    name: 'response',
    summary: { zh: '查询已存储的响应，可续传其流', en: 'Read a stored response, or resume its stream' },
    answer: { schema: storedResponse },
  },
  {
    ...ofResponse,
    method: 'POST',
    path: '/v1/responses/{id}/cancel',
    name: 'response-cancel',
    summary: { zh: '取消后台响应', en: 'Cancel a response in the background' },
    answer: { schema: storedResponse },
  },
  {
    ...ofResponse,
    method: 'GET',
    path: '/v1/responses/{id}/input_items',
    name: 'response-input-items',
    summary: { zh: '列出响应的输入项', en: 'List the input items of a response' },
    answer: { schema: open({ object: { const: 'list' }, data: list() }, ['object', 'data']) },
  },
  {
    ...ofResponse,
    method: 'DELETE',
    path: '/v1/responses/{id}',
    name: 'response-delete',
    summary: { zh: '删除已存储的响应', en: 'Delete a stored response' },
    parameters: [slot('id', exampleResponses.formerResponse)],
    answer: { schema: open({ id: text, deleted: { const: true } }, ['id', 'deleted']) },
  },
  {
    method: 'POST',
    path: '/v1/conversations',
    tag: 'openai',
    name: 'conversation-create',
    summary: {
      zh: '新建对话：保存在 OpenAI 或 Azure，没有这样的渠道时保存在本站（StoredResponseDays）',
      en: 'Begin a conversation, kept by OpenAI or Azure, without such a channel by the site (StoredResponseDays)',
    },
    request: { schema: open({ items: list(), metadata: {} }), example: { items: [exampleItem] } },
    answer: { schema: keptConversation },
  },
  {
    ...ofConversation,
    method: 'GET',
    path: '/v1/conversations/{id}',
    name: 'conversation',
    summary: { zh: '查询对话', en: 'Read a conversation' },
    answer: { schema: keptConversation },
  },
  {
    ...ofConversation,
    method: 'POST',
    path: '/v1/conversations/{id}',
    name: 'conversation-update',
    summary: { zh: '修改对话的元数据', en: 'Change the metadata of a conversation' },
    request: { schema: open({ metadata: {} }, ['metadata']), example: { metadata: { topic: 'names' } } },
    answer: { schema: keptConversation },
  },
  {
    ...ofConversation,
    method: 'GET',
    path: '/v1/conversations/{id}/items',
    name: 'conversation-items',
    summary: { zh: '列出对话的条目', en: 'List the items of a conversation' },
    answer: { schema: conversationItems },
  },
  {
    ...ofConversation,
    method: 'POST',
    path: '/v1/conversations/{id}/items',
    name: 'conversation-add-items',
    summary: { zh: '向对话添加条目', en: 'Add items to a conversation' },
    request: { schema: open({ items: list() }, ['items']), example: { items: [exampleItem] } },
    answer: { schema: conversationItems },
  },
  {
    ...ofConversationItem,
    method: 'GET',
    path: '/v1/conversations/{id}/items/{item}',
    name: 'conversation-item',
    summary: { zh: '查询对话的一个条目', en: 'Read an item of a conversation' },
    answer: { schema: open({ id: text, type: text }, ['id']) },
  },
  {
    ...ofConversationItem,
    method: 'DELETE',
    path: '/v1/conversations/{id}/items/{item}',
    name: 'conversation-delete-item',
    summary: { zh: '删除对话的一个条目', en: 'Delete an item of a conversation' },
    answer: { schema: keptConversation },
  },
  {
    ...ofConversation,
    method: 'DELETE',
    path: '/v1/conversations/{id}',
    name: 'conversation-delete',
    summary: { zh: '删除对话', en: 'Delete a conversation' },
    parameters: [slot('id', exampleConversations.formerConversation)],
    answer: { schema: open({ id: text, deleted: { const: true } }, ['id', 'deleted']) },
  },
  {
    method: 'POST',
    path: '/v1/files',
    tag: 'openai',
    name: 'file-upload',
    summary: {
      zh: '上传文件（OpenAI 与 Azure 渠道；带 anthropic-version 时为 Anthropic），查询参数 model 选择能处理该模型的渠道',
      en: 'Upload a file to OpenAI or Azure, with anthropic-version to Anthropic; the query’s model selects the channel',
    },
    request: {
      schema: open(
        {
          file: { type: 'string', format: 'binary' },
          purpose: { type: 'string', examples: ['user_data', 'vision', 'assistants'] },
        },
        ['file', 'purpose'],
      ),
      example: { file: 'a.wav', purpose: 'user_data' },
      isForm: true,
    },
    answer: { schema: keptFile },
  },
  {
    method: 'GET',
    path: '/v1/files',
    tag: 'openai',
    name: 'files',
    summary: { zh: '列出自己的文件', en: 'List your files' },
    answer: {
      schema: open({ object: { const: 'list' }, data: list(keptFile), has_more: { type: 'boolean' } }, [
        'object',
        'data',
        'has_more',
      ]),
    },
  },
  {
    ...ofFile,
    method: 'GET',
    path: '/v1/files/{id}',
    name: 'file',
    summary: { zh: '查询自己的文件', en: 'Describe one of your files' },
    answer: { schema: keptFile },
  },
  {
    ...ofFile,
    method: 'GET',
    path: '/v1/files/{id}/content',
    name: 'file-content',
    summary: { zh: '读取文件内容', en: 'Read the content of a file' },
    answer: { schema: { type: 'string', format: 'binary' }, type: 'application/octet-stream' },
  },
  {
    ...ofFile,
    method: 'DELETE',
    path: '/v1/files/{id}',
    name: 'file-delete',
    summary: { zh: '删除文件', en: 'Delete a file' },
    parameters: [slot('id', exampleFiles.formerFile)],
    answer: { schema: open({ id: text, deleted: { const: true } }, ['id', 'deleted']) },
  },
  ...containerCalls,
  {
    method: 'POST',
    path: '/v1/completions',
    tag: 'openai',
    name: 'completions',
    summary: { zh: '文本补全', en: 'Completions' },
    request: {
      schema: open({ model, prompt: { type: ['string', 'array'] }, stream, max_tokens: count }, [
        'model',
        'prompt',
      ]),
      example: { model: 'gpt-4o-mini', prompt: 'Once upon a time' },
    },
    answer: {
      schema: open(
        {
          id: like(text, 'cmpl-1'),
          object: { const: 'text_completion' },
          choices: like(list(open({ text })), [
            { index: 0, text: 'there was a gateway.', finish_reason: 'stop' },
          ]),
          usage,
        },
        ['object', 'choices'],
      ),
    },
    streams: true,
  },
  {
    method: 'POST',
    path: '/v1/embeddings',
    tag: 'openai',
    name: 'embeddings',
    summary: { zh: '向量嵌入', en: 'Embeddings' },
    ...embeddings,
  },
  {
    method: 'POST',
    path: '/v1/engines/{model}/embeddings',
    tag: 'openai',
    name: 'engine-embeddings',
    summary: { zh: '向量嵌入（旧路径）', en: 'Embeddings at their older path' },
    ...embeddings,
    request: { ...embeddings.request, example: { input: 'Hello!' } },
    parameters: [slot('model', 'text-embedding-3-small')],
  },
  {
    method: 'POST',
    path: '/v1/moderations',
    tag: 'openai',
    name: 'moderations',
    summary: { zh: '内容审核', en: 'Moderations' },
    request: {
      schema: open({ model, input: { type: ['string', 'array'] } }, ['input']),
      example: { model: 'omni-moderation-latest', input: 'Hello!' },
    },
    answer: {
      schema: open(
        { id: like(text, 'modr-1'), results: list(open({ flagged: like({ type: 'boolean' }, false) })) },
        ['results'],
      ),
    },
  },
  {
    method: 'POST',
    path: '/v1/rerank',
    tag: 'openai',
    name: 'rerank',
    summary: { zh: '重排序（Jina、Cohere）', en: 'Reranking, as Jina and Cohere have it' },
    request: {
      schema: open(
        { model, query: text, documents: list(), top_n: count, return_documents: { type: 'boolean' } },
        ['model', 'query', 'documents'],
      ),
      example: {
        model: 'jina-reranker-v2-base-multilingual',
        query: 'What is a gateway?',
        documents: ['A gateway passes requests on.', 'A cat sleeps.'],
      },
    },
    answer: {
      schema: open(
        {
          results: list(
            open({ index: like(count, 0), relevance_score: like({ type: 'number' }, 0.91) }, ['index']),
          ),
        },
        ['results'],
      ),
    },
  },
];

/** Lists of models. */
export const openaiLists: readonly RelayCall[] = [
  {
    method: 'GET',
    path: '/v1/models',
    tag: 'openai',
    name: 'models',
    summary: { zh: '列出可用模型', en: 'List the models that the key may call' },
    answer: { schema: open({ object: { const: 'list' }, data: list(modelObject) }, ['object', 'data']) },
  },
  {
    method: 'GET',
    path: '/v1/models/{model}',
    tag: 'openai',
    name: 'model',
    summary: { zh: '读取一个模型', en: 'Read a model' },
    answer: { schema: modelObject },
    parameters: [slot('model', 'gpt-4o-mini')],
  },
];
