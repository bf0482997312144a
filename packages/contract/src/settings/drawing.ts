import { group, toggle } from './define.ts';

export const drawing = group(
  'advanced',
  { zh: '绘图与任务设置', en: 'Drawing and tasks' },
  {
    DrawingEnabled: toggle({
      default: true,
      publicAs: 'enable_drawing',
      label: { zh: '启用绘图功能', en: 'Drawing' },
      help: { zh: '在控制台显示绘图日志', en: 'Shows the drawing log in the console' },
    }),
    TaskEnabled: toggle({
      default: true,
      publicAs: 'enable_task',
      label: { zh: '启用任务功能', en: 'Tasks' },
      help: { zh: '在控制台显示任务日志', en: 'Shows the task log in the console' },
    }),
    MjNotifyEnabled: toggle({
      default: false,
      publicAs: 'mj_notify_enabled',
      label: { zh: '允许回调', en: 'Allow callbacks' },
      help: {
        zh: '把请求中的回调地址发给上游，会泄露服务器 IP 地址',
        en: "Sends callers' callback addresses upstream, which reveals this server's address",
      },
    }),
    MjAccountFilterEnabled: toggle({
      default: false,
      label: { zh: '允许 AccountFilter 参数', en: 'Allow AccountFilter' },
      help: { zh: '调用方可以选择上游账号', en: 'Callers may choose among upstream accounts' },
    }),
    MjForwardUrlEnabled: toggle({
      default: true,
      label: { zh: '开启之后将上游地址替换为服务器地址', en: 'Serve images from this server' },
      help: {
        zh: '图片地址指向本服务器而不是上游',
        en: 'Image addresses point to this server instead of the upstream',
      },
    }),
    MjModeClearEnabled: toggle({
      default: false,
      label: {
        zh: '清除提示词中的 --fast、--relax 以及 --turbo 参数',
        en: 'Drop --fast, --relax and --turbo',
      },
      help: { zh: '调用方不能自行选择模式', en: 'Callers cannot choose the mode in their prompts' },
    }),
    MjActionCheckSuccessEnabled: toggle({
      default: true,
      label: { zh: '检测必须等待绘图成功才能进行放大等操作', en: 'Follow-ups only after success' },
      help: { zh: '未成功的绘图不能放大或变换', en: 'An unfinished drawing cannot be upscaled or varied' },
    }),
  },
);
