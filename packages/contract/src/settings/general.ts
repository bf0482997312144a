import { defaultQuotaPerUnit } from '../quota.ts';
import { choice, decimal, group, integer, toggle, url } from './define.ts';

export const general = group(
  'general',
  { zh: '通用设置', en: 'General' },
  {
    TopUpLink: url({
      default: '',
      publicAs: 'top_up_link',
      label: { zh: '充值链接', en: 'Top-up link' },
      help: { zh: '例如发卡网站的购买链接', en: 'Where redemption codes are sold' },
    }),
    QuotaPerUnit: decimal({
      default: defaultQuotaPerUnit,
      min: 1,
      max: 1_000_000_000,
      publicAs: 'quota_per_unit',
      label: { zh: '单位美元额度', en: 'Quota per dollar' },
      help: {
        zh: '一美元等于多少额度单位：所有余额的价值随之改变',
        en: 'Quota units in a US dollar: changes what every balance is worth',
      },
    }),
    RetryTimes: integer({
      default: 0,
      min: 0,
      max: 100,
      label: { zh: '失败重试次数', en: 'Retries' },
      help: {
        zh: '一个渠道失败后最多再尝试多少个其他渠道',
        en: 'How many other channels are tried after one fails',
      },
    }),
    DisplayInCurrencyEnabled: toggle({
      default: true,
      publicAs: 'display_in_currency',
      label: { zh: '以货币形式显示额度', en: 'Show quota as money' },
      help: { zh: '关闭后显示为数字', en: 'Off: shown as a plain number' },
    }),
    DisplayTokenStatEnabled: toggle({
      default: true,
      label: { zh: '额度查询接口返回令牌额度而非用户额度', en: "Billing calls return the key's quota" },
      help: { zh: '关闭后返回用户额度', en: "Off: they return the user's quota" },
    }),
    DefaultLanguage: choice({
      default: 'auto',
      choices: ['auto', 'zh', 'en'],
      label: { zh: '默认语言', en: 'Default language' },
      help: {
        zh: '用于没有指明语言的人；自动表示模型接口用英文，其余用中文',
        en: 'If nobody names one; automatic: model calls in English, all else in Chinese',
      },
    }),
    DefaultCollapseSidebar: toggle({
      default: false,
      publicAs: 'default_collapse_sidebar',
      label: { zh: '默认折叠侧边栏', en: 'Collapse the sidebar' },
      help: { zh: '首次打开控制台时折叠侧边栏', en: 'When the console is opened for the first time' },
    }),
    DemoSiteEnabled: toggle({
      default: false,
      publicAs: 'demo_site_enabled',
      label: { zh: '演示站点模式', en: 'Demo site' },
      help: {
        zh: '只有超级管理员能修改内容',
        en: 'Only the super admin can change anything',
      },
    }),
    PublicPricingEnabled: toggle({
      default: true,
      publicAs: 'public_pricing',
      label: { zh: '公开模型与价格', en: 'Public models and prices' },
      help: { zh: '关闭后仅登录用户可见', en: 'Off: only for users who are logged in' },
    }),
    SelfUseModeEnabled: toggle({
      default: false,
      publicAs: 'self_use_mode_enabled',
      label: { zh: '自用模式', en: 'Self-use mode' },
      help: {
        zh: '允许使用未设置价格的模型，并隐藏注册与价格页面',
        en: 'Models without a price may be used; sign-up and prices are hidden',
      },
    }),
  },
);
