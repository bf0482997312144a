import { product } from '@tollgate/contract';
import { texts } from '../lib/i18n.ts';

/** Page titles that are also used outside of the page list. */
export const pageTitles = texts({
  home: { zh: '首页', en: 'Home' },
  dashboard: { zh: '数据看板', en: 'Home' },
  playground: { zh: '操练场', en: 'Playground' },
  keys: { zh: '令牌', en: 'Keys' },
  models: { zh: '模型', en: 'Models' },
  channels: { zh: '渠道', en: 'Channels' },
  wallet: { zh: '钱包', en: 'Wallet' },
  settings: { zh: '系统设置', en: 'Settings' },
  login: { zh: '登录', en: 'Log in' },
  register: { zh: '注册', en: 'Sign up' },
  about: { zh: '关于', en: 'About' },
  chat: { zh: '聊天', en: 'Chat' },
  reference: { zh: '接口文档', en: 'API reference' },
  organisations: { zh: '我的组织', en: 'My organisations' },
  notFound: { zh: '页面不存在', en: 'Page not found' },
});

export const text = texts({
  popups: { zh: '弹出内容', en: 'Pop-ups' },
  skip: { zh: '跳到正文', en: 'Skip to content' },
  console: { zh: '控制台', en: 'Console' },
  api: { zh: '接口', en: 'API' },
  docs: { zh: '文档', en: 'Docs' },
  menu: { zh: '菜单', en: 'Menu' },
  mainNav: { zh: '主导航', en: 'Main' },
  sideNav: { zh: '侧边栏', en: 'Sidebar' },
  help: { zh: '帮助', en: 'Help' },
  siteHome: { zh: '网站首页', en: 'Home page of the site' },
  unpricedModels: {
    zh: '{count} 个正在提供的模型没有价格',
    en: { one: '{count} available model has no price', other: '{count} available models have no price' },
  },
  collapse: { zh: '收起侧边栏', en: 'Collapse sidebar' },
  expand: { zh: '展开侧边栏', en: 'Expand sidebar' },
  theme: { zh: '主题', en: 'Theme' },
  light: { zh: '浅色', en: 'Light' },
  dark: { zh: '深色', en: 'Dark' },
  system: { zh: '跟随系统', en: 'System' },
  language: { zh: '语言', en: 'Language' },
  account: { zh: '账户：{name}', en: 'Account: {name}' },
  logout: { zh: '退出登录', en: 'Log out' },
  selfUse: { zh: '自用模式', en: 'Self-use' },
  demo: { zh: '演示站点', en: 'Demo site' },
  demoHint: {
    zh: '这是演示站点：可以查看所有内容、调用模型，但不能修改。',
    en: 'This is a demo site: you can look at everything and call models, but not change anything.',
  },
  offline: {
    zh: '网络已断开，显示的可能不是最新数据',
    en: 'You are offline. What you see may be out of date',
  },
  builtWith: { zh: `由 ${product.name} {version} 驱动`, en: `Powered by ${product.name} {version}` },
  crashed: { zh: '页面出错了', en: 'This page failed' },
  crashedHint: {
    zh: '可以重试；如果一直出现，请把下面的内容告诉管理员。',
    en: 'Try again, or send the details below to your administrator.',
  },
  unreachable: { zh: '无法连接到服务器', en: 'Unable to connect to server' },
  unreachableHint: {
    zh: '服务器没有回答：它可能正在启动，或者网络中断了。',
    en: 'The server does not respond: it may be starting, or the network may be down.',
  },
  retry: { zh: '重试', en: 'Try again' },
  notFoundHint: {
    zh: '地址 {path} 没有对应的页面。',
    en: 'There is no page at {path}.',
  },
  toHome: { zh: '回到首页', en: 'Go to the home page' },
  noAccess: { zh: '没有权限', en: 'No access' },
  noAccessHint: {
    zh: '这个页面只对管理员开放。',
    en: 'This page is for administrators.',
  },
  forRootHint: {
    zh: '这个页面只对超级管理员开放。',
    en: 'This page is for the super admin.',
  },
  notice: { zh: '公告', en: 'Announcement' },
  unreadNotice: { zh: '公告（未读）', en: 'Announcement, unread' },
  hideNotice: { zh: '收起公告', en: 'Dismiss the announcement' },
  unreachableSoon: {
    zh: '服务器恢复后页面会自动打开。',
    en: 'This page opens by itself as soon as the server is back.',
  },
  updated: { zh: '控制台已更新，刷新后可用', en: 'The console was updated. Reload to continue' },
  reload: { zh: '刷新', en: 'Reload' },
});
