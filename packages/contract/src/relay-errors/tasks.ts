import type { RelayErrorEntry } from './entry.ts';

const wrong = <Zh extends string, En extends string>(zh: Zh, en: En) =>
  ({ status: 400, blame: 'caller', zh, en }) as const;

/** Errors of task requests: drawings, songs, videos. */
export const taskErrors = {
  task_not_found: wrong('任务不存在', 'There is no such task'),
  task_not_exist: wrong('任务不存在', 'There is no such task'),
  task_status_not_success: wrong(
    '任务状态不是 SUCCESS，无法进行操作',
    'The task has not succeeded, so nothing can be made of it',
  ),
  task_channel_disabled: wrong('该任务所属渠道已被禁用', 'The channel of this task is disabled'),
  task_channel_without: wrong('该渠道不支持此任务', 'This channel has no such tasks'),
  task_action_unknown: {
    ...wrong('未知的操作 {action}', 'The action {action} is not known'),
    code: 'invalid_action',
  },
  task_field_missing: {
    ...wrong('缺少参数 {field}', 'The field {field} is missing'),
    code: 'invalid_request',
  },
  task_group_full: {
    status: 429,
    blame: 'caller',
    zh: '当前分组负载已饱和，请稍后再试，或升级账户以提升服务质量。',
    en: 'This group is saturated: try again later, or upgrade the account for better service',
  },
  task_prompt_empty: { ...wrong('提示词不能为空', 'The prompt is empty'), code: 'prompt_empty' },
  task_answer_unreadable: {
    status: 502,
    blame: 'channel',
    code: 'fail_to_fetch_task',
    zh: '上游返回的任务无法读取',
    en: 'The upstream sent an answer about tasks that cannot be read',
  },
} as const satisfies Record<string, RelayErrorEntry>;

/** Errors of batches of calls. */
export const batchErrors = {
  batch_not_found: {
    status: 404,
    blame: 'caller',
    type: 'invalid_request_error',
    zh: '没有 ID 为 “{id}” 的批量任务',
    en: "No batch with id '{id}'",
  },
  batch_not_over: { status: 409, blame: 'caller', zh: '批量任务尚未结束', en: 'The batch has not ended' },
  batch_invalid: {
    ...wrong('批量任务的参数 {field} 无效', 'The field {field} of the batch is not valid'),
    code: 'invalid_request',
  },
  batch_line_invalid: {
    ...wrong(
      '第 {line} 行无效：需要 custom_id、method “POST”、url “{endpoint}” 与 body',
      'line {line} is not valid: it needs custom_id, method "POST", url "{endpoint}" and body',
    ),
    code: 'invalid_request',
  },
  batch_request_line_invalid: {
    ...wrong(
      '第 {line} 行无效：需要且只能有 key 与 request',
      'line {line} is not valid: it needs key and request, and nothing else',
    ),
    code: 'invalid_request',
  },
  batch_file_not_kept: {
    ...wrong(
      '网关没有文件 {file} 的副本：请在此以 application/jsonl 类型重新上传；副本的空间可能已满',
      'the gateway has no copy of {file}: upload it here as application/jsonl; the space for copies may be full',
    ),
    code: 'invalid_request',
  },
  batch_name_invalid: {
    ...wrong('custom_id 或 key 为空、过长或重复', 'custom_id or key is empty, too long or repeated'),
    code: 'invalid_request',
  },
  batch_item_invalid: {
    ...wrong(
      '该请求不能在批量任务中执行：需使用渠道自身的协议，且不能为流式、后台、图像或音频请求',
      'this call cannot be in a batch: it needs the protocol of the channel, and no stream, background, images or sound',
    ),
    code: 'invalid_request',
  },
  batch_models_differ: {
    ...wrong('批量任务只能使用一个模型', 'all calls of a batch need the same model'),
    code: 'invalid_request',
  },
  batch_item_elsewhere: {
    ...wrong(
      '该请求的模型 {model} 或其文件不在批量任务的渠道上',
      'the model {model} of this call, or a file of it, is not on the channel of the batch',
    ),
    code: 'invalid_request',
  },
  batch_budgets_differ: {
    ...wrong(
      '模型 {model} 的预算与批量任务中第一个模型的预算不同，请分开提交',
      'the model {model} has other budgets than the first model of the batch: submit it on its own',
    ),
    code: 'invalid_request',
  },
  batch_too_many_models: {
    ...wrong('批量任务的模型超过 {most} 个', 'more than {most} models in a batch'),
    code: 'invalid_request',
  },
  batch_vectors_too_long: {
    ...wrong(
      '一个回答中的向量超过 {most} 个数，请分成更多请求，或使用文件',
      'the vectors of one answer would have more than {most} numbers: make more calls of fewer inputs, or use a file',
    ),
    code: 'invalid_request',
  },
  batch_empty: { ...wrong('批量任务没有请求', 'the batch has no calls'), code: 'invalid_request' },
  batch_too_long: {
    status: 413,
    blame: 'caller',
    zh: '批量任务超过 {most} 个请求',
    en: 'more than {most} calls in a batch',
  },
} as const satisfies Record<string, RelayErrorEntry>;

/** A video that a channel's vendor does not make. Another channel may work. */
const unmade = <Zh extends string, En extends string>(zh: Zh, en: En) =>
  ({ status: 400, blame: 'caller', code: 'cannot_translate', zh, en }) as const;

/** Requests that video vendors do not support. */
export const videoErrors = {
  video_seconds_not_made: unmade(
    '{vendor} 不支持 {seconds} 秒的视频，可选：{choices}',
    '{vendor} makes no video of {seconds} seconds, but of {choices}',
  ),
  video_size_not_made: unmade(
    '{vendor} 不支持 {size} 的视频，可选：{choices}',
    '{vendor} makes no video of {size}, but of {choices}',
  ),
  video_field_unknown: unmade('{vendor} 不支持字段 {field}', '{vendor} has no word for {field}'),
  video_field_needed: unmade('{vendor} 需要字段 {field}', '{vendor} needs the field {field}'),
  video_commands_in_prompt: unmade(
    '{vendor} 的 prompt 中不能含有 {command}，请使用字段 {field}',
    '{vendor} takes no {command} in a prompt: use the field {field}',
  ),
  video_not_ready: {
    status: 409,
    blame: 'caller',
    zh: '视频尚未生成完成',
    en: 'the video is not there yet, or was never made',
  },
  video_without_bucket: {
    ...unmade(
      '该渠道没有配置存放视频的 Cloud Storage 存储桶',
      'this channel names no bucket of Cloud Storage that videos are put in',
    ),
    blame: 'channel',
  },
} as const;
