import type { RelayErrorEntry } from './entry.ts';

/** An unusable answer of an upstream with a success status. */
const badAnswer = <Zh extends string, En extends string>(zh: Zh, en: En) =>
  ({ status: 502, blame: 'channel', code: 'bad_response_body', zh, en }) as const;
const broken = <Zh extends string, En extends string>(zh: Zh, en: En) =>
  ({ status: 502, blame: 'channel', code: 'upstream_broken', zh, en }) as const;

/** Failures of upstreams: unreachable, invalid answers, interrupted streams. */
export const upstreamErrors = {
  upstream_unreachable: {
    status: 502,
    blame: 'channel',
    code: 'do_request_failed',
    zh: '请求上游地址失败',
    en: 'The upstream could not be reached',
  },
  no_free_connection: {
    status: 503,
    blame: 'ours',
    zh: '与上游的连接已达上限，请稍后再试',
    en: 'there are as many connections to the upstream as there may be, try again later',
    retryAfterSeconds: 2,
  },
  upstream_saturated: {
    status: 429,
    blame: 'channel',
    code: 'rate_limit_exceeded',
    zh: '当前分组上游负载已饱和，请稍后再试',
    en: 'The upstreams of this group are saturated, please try again later',
  },
  upstream_rejected_channel: {
    status: 502,
    blame: 'channel',
    zh: '上游拒绝了该渠道的凭证，请联系管理员',
    en: 'the upstream rejected this channel, please contact the administrator',
  },
  bad_response_status_code: {
    status: 502,
    blame: 'channel',
    zh: '上游返回了错误状态码 {status}',
    en: 'bad response status code {status}',
  },
  upstream_failed: badAnswer('上游处理失败', 'the upstream failed'),
  upstream_failed_with_code: badAnswer('上游处理失败（{code}）', 'the upstream failed ({code})'),
  upstream_ended_with: badAnswer('上游以 {reason} 结束', 'the upstream ended with {reason}'),
  response_failed: badAnswer('上游响应失败', 'the response failed'),
  workflow_failed: badAnswer('工作流执行失败：{detail}', 'the workflow failed: {detail}'),
  answer_broken_off: badAnswer('上游中断了响应', 'the upstream broke off its answer'),
  answer_incomplete: badAnswer('上游响应不完整', 'the answer is not whole'),
  answer_empty: badAnswer('上游返回了空响应', 'the upstream sent an empty answer'),
  answer_without_content: badAnswer(
    '上游的响应中没有任何内容',
    'the upstream sent an answer with nothing in it',
  ),
  upstream_redirects: badAnswer('上游要求重定向（{status}）', 'the upstream redirects ({status})'),
  answer_web_page: badAnswer('上游返回了网页而不是响应', 'the upstream sent a web page instead of an answer'),
  answer_not_json: badAnswer(
    '上游返回的内容不是合法的 JSON',
    'the upstream sent an answer that is not valid JSON',
  ),
  answer_other_kind: badAnswer(
    '上游返回的不是 JSON 响应',
    'the upstream sent something else than a JSON answer',
  ),
  answer_unknown_object: badAnswer('上游返回的对象不是响应', 'the upstream sent an object that is no answer'),
  answer_unreadable: badAnswer('无法读取上游返回的内容', 'the upstream sent an answer that cannot be read'),
  answer_too_long: badAnswer('上游返回的内容过长', 'the upstream sent an answer that is too long'),
  answer_too_much: badAnswer('上游返回的内容过多', 'the upstream sent too much'),
  answer_without_sound: badAnswer('上游没有返回音频', 'the upstream sent no sound'),
  answer_without_subtitles: badAnswer('上游没有返回字幕', 'the upstream sent no subtitles'),
  event_too_long: badAnswer('上游发送的事件过长', 'the upstream sent an event that is too long'),
  event_not_json: badAnswer(
    '上游发送的事件不是合法的 JSON',
    'the upstream sent an event that is not valid JSON',
  ),
  stream_unreadable: badAnswer('无法读取上游发送的流', 'the upstream sent a stream that cannot be read'),
  bot_waits_for_tool: badAnswer(
    '机器人在等待只有其自身客户端才能执行的工具',
    'the bot waits for a tool that only a client of its own can run',
  ),
  vendor_file_missing: badAnswer(
    '无法获取供应商生成的文件',
    'a file that the vendor made could not be fetched',
  ),
  vendor_question_failed: {
    status: 502,
    blame: 'channel',
    code: 'do_request_failed',
    zh: '供应商没有回答调用之前必需的请求',
    en: 'the vendor did not answer a question that has to come before the call',
  },
  google_token_missing: badAnswer('Google 的响应中没有令牌', 'Google answered without a token'),
  google_token_refused: {
    status: 502,
    blame: 'channel',
    code: 'do_request_failed',
    zh: 'Google 没有签发令牌（{reason}）',
    en: 'Google handed out no token ({reason})',
  },
  task_timeout: {
    status: 504,
    blame: 'channel',
    zh: '供应商没有及时完成任务',
    en: 'the vendor did not finish the task in time',
  },
  task_lost: {
    status: 502,
    blame: 'channel',
    zh: '供应商不再提供任务的状态',
    en: 'the vendor no longer tells how the task stands',
  },
  tool_unanswered: {
    status: 504,
    blame: 'channel',
    zh: '工具服务器没有返回结果；工具可能已经执行',
    en: 'The tool server gave no result; the tool may have run',
  },
  tool_server_refused: {
    status: 502,
    blame: 'channel',
    zh: '工具服务器拒绝了连接：{message}',
    en: 'The tool server refused the connection: {message}',
  },
  tool_version_unknown: {
    status: 502,
    blame: 'channel',
    zh: '工具服务器使用未知的协议版本 {version}',
    en: 'The tool server speaks an unknown version of the protocol: {version}',
  },
  tool_not_there: {
    status: 404,
    blame: 'channel',
    zh: '工具服务器没有名为 {tool} 的工具',
    en: 'The tool server has no tool {tool}',
  },
  upstream_broken: broken('上游中断了响应', 'the upstream broke off its answer'),
  session_broken_off: broken('上游中断了会话', 'the upstream broke off the session'),
  upstream_silent: broken('上游没有响应', 'the upstream fell silent'),
  sandbox_refuses: {
    status: 502,
    blame: 'channel',
    zh: '沙盒模拟了一个不接受连接的服务器',
    en: 'The sandbox plays a server that opens no sockets.',
  },
} as const satisfies Record<string, RelayErrorEntry>;
