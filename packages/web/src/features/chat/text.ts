import { texts } from '../../lib/i18n.ts';

export const text = texts({
  title: { zh: '聊天', en: 'Chat' },
  loading: { zh: '加载中，请稍候…', en: 'Loading, please wait…' },
  chooseHint: {
    zh: '选择一个聊天应用，它会使用您的第一个可用令牌。',
    en: 'Choose a chat application; it uses your first enabled key.',
  },
  noLinks: { zh: '没有配置聊天应用', en: 'No chat application is set up' },
  noLinksHint: {
    zh: '请联系管理员在系统设置的“聊天设置”中添加链接，或者直接使用操练场。',
    en: 'Ask your administrator to add links in the settings under “Chat applications”, or use the playground.',
  },
  toPlayground: { zh: '打开操练场', en: 'Open the playground' },
  noSuchLink: { zh: '没有这个聊天应用', en: 'There is no such chat application' },
  allLinks: { zh: '查看全部聊天应用', en: 'See all chat applications' },
  noToken: { zh: '没有可用的令牌', en: 'You have no enabled key' },
  noTokenHint: {
    zh: '聊天应用需要一个已启用且未过期的令牌，正在前往令牌页…',
    en: 'A chat application needs an enabled key that has not expired; taking you to your keys…',
  },
  hashOnly: { zh: '本站不保存完整的令牌', en: 'This site does not store full keys' },
  hashOnlyHint: {
    zh: '请在聊天应用里手动填写创建令牌时保存的密钥。',
    en: 'In the application, enter the key that you saved when you created it.',
  },
  badLink: { zh: '聊天链接无效', en: 'This chat link is not valid' },
  badLinkHint: {
    zh: '聊天链接配置错误，请联系管理员：链接必须指向一个固定的 http 或 https 地址。',
    en: 'A link must point to one fixed http or https address; please tell your administrator.',
  },
  appLink: { zh: '这是一个本机应用', en: 'This is an application on your device' },
  appLinkHint: {
    zh: '控制台只打开网页，请在 {name} 里填写下面的地址和密钥。',
    en: 'The console only opens web pages, so enter this address and key in {name}.',
  },
  address: { zh: '接口地址', en: 'Address' },
  key: { zh: '密钥', en: 'Key' },
  ownTab: { zh: '在新标签页打开', en: 'Open in a new tab' },
  ownTabHint: {
    zh: '这个应用没有使用 https，不能嵌入此页面。',
    en: 'This application does not use https and cannot be shown inside this page.',
  },
  embedded: { zh: '空白？该应用可能不允许嵌入', en: 'Blank? The application may not allow embedding' },
});
