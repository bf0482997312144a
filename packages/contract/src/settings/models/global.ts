import { group, integer, json, toggle } from '../define.ts';
import { modelList } from '../shapes.ts';

export const global = group(
  'advanced',
  { zh: '全局设置', en: 'All models' },
  {
    'global.pass_through_request_enabled': toggle({
      default: false,
      label: { zh: '启用请求透传', en: 'Pass requests through' },
      help: {
        zh: '协议相同的请求原样转发，模型重定向与参数覆盖不生效',
        en: "Requests in the channel's own protocol are forwarded unchanged, without mapping or overrides",
      },
    }),
    'global.thinking_model_blacklist': json({
      schema: modelList,
      default: ['moonshotai/kimi-k2-thinking', 'kimi-k2-thinking'],
      label: { zh: '保留 -thinking 后缀的模型', en: 'Names that keep -thinking' },
      help: {
        zh: 'JSON 数组，自身以思考后缀结尾的模型名称',
        en: 'JSON list of models whose names really end in a thinking suffix',
      },
    }),
    'general_setting.ping_interval_enabled': toggle({
      default: false,
      label: { zh: '启用 Ping 间隔', en: 'Keep-alive pings' },
      help: {
        zh: '流式响应安静时发送注释，防止代理断开连接',
        en: 'Sends comments on idle streams, so that proxies do not close them',
      },
    }),
    'general_setting.ping_interval_seconds': integer({
      default: 60,
      min: 1,
      max: 86_400,
      label: { zh: 'Ping 间隔（秒）', en: 'Ping interval (seconds)' },
      help: { zh: '仅在启用 Ping 间隔时有效', en: 'Used while pings are switched on' },
    }),
  },
);
