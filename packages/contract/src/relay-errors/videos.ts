/** A video that a channel's vendor does not make: another channel may. */
const unmade = <Zh extends string, En extends string>(zh: Zh, en: En) =>
  ({ status: 400, blame: 'caller', code: 'cannot_translate', zh, en }) as const;

/** What vendors of videos cannot be asked for. */
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
