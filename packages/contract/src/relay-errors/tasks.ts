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
