import { decimal, group, lines, toggle } from './define.ts';

export const monitoring = group(
  'advanced',
  { zh: '监控设置', en: 'Monitoring' },
  {
    ChannelDisableThreshold: decimal({
      default: 5,
      min: 0,
      max: 86_400,
      label: { zh: '测试所有渠道的最长响应时间（秒）', en: 'Channel test time limit (seconds)' },
      help: {
        zh: '超过此时间的渠道会被自动禁用；0 表示不限',
        en: 'Slower channels are disabled when all are tested; 0 for no limit',
      },
    }),
    AutomaticDisableChannelEnabled: toggle({
      default: false,
      label: { zh: '失败时自动禁用渠道', en: 'Disable failing channels' },
      help: { zh: '密钥失效或余额用尽时禁用', en: 'When their key is refused or their balance is used up' },
    }),
    AutomaticEnableChannelEnabled: toggle({
      default: false,
      label: { zh: '成功时自动启用渠道', en: 'Enable recovered channels' },
      help: {
        zh: '被自动禁用的渠道测试成功后重新启用',
        en: 'Automatically disabled channels are enabled again when a test succeeds',
      },
    }),
    StatusPageEnabled: toggle({
      default: false,
      publicAs: 'status_page',
      label: { zh: '公开状态页', en: 'Public status page' },
      help: {
        zh: '任何人可以在 /status 查看各模型的成功率与响应时间，不显示渠道',
        en: 'At /status anybody sees how the calls of each model go; channels are not shown',
      },
    }),
    AutomaticDisableKeywords: lines({
      default: [
        'Your credit balance is too low',
        'This organization has been disabled.',
        'You exceeded your current quota',
        'Permission denied',
        'The security token included in the request is invalid',
        'Operation not allowed',
        'Your account is not authorized',
      ],
      label: { zh: '自动禁用关键词', en: 'Keywords that disable' },
      help: {
        zh: '一行一个；上游报错中含有关键词时自动禁用该渠道',
        en: 'One per line: a channel whose error contains one is disabled',
      },
    }),
  },
);
