import { group, imageAddress, longText, text, url } from './define.ts';

export const notice = group(
  'other',
  { zh: '通用设置', en: 'Notice' },
  {
    Notice: longText({
      default: '',
      markup: true,
      label: { zh: '公告', en: 'Announcement' },
      help: { zh: '支持 Markdown 和 HTML', en: 'Markdown or HTML' },
    }),
  },
);

export const appearance = group(
  'other',
  { zh: '个性化设置', en: 'Appearance' },
  {
    SystemName: text({
      default: 'Tollgate',
      publicAs: 'system_name',
      label: { zh: '系统名称', en: 'Site name' },
      help: { zh: '显示在标题与邮件中', en: 'Shown in titles and mails' },
    }),
    Logo: imageAddress({
      default: '',
      publicAs: 'logo',
      label: { zh: 'Logo 图片地址', en: 'Logo address' },
      help: {
        zh: 'https 地址或 data:image；留空使用自带图标',
        en: 'An https address or a data:image; empty for the built-in one',
      },
    }),
    HomePageContent: longText({
      default: '',
      markup: true,
      label: { zh: '首页内容', en: 'Home page' },
      help: {
        zh: '支持 Markdown 和 HTML；填入链接则嵌入该网页',
        en: 'Markdown or HTML; an address alone embeds that page',
      },
    }),
    About: longText({
      default: '',
      markup: true,
      label: { zh: '关于', en: 'About page' },
      help: {
        zh: '支持 Markdown 和 HTML；填入链接则嵌入该网页',
        en: 'Markdown or HTML; an address alone embeds that page',
      },
    }),
    Footer: longText({
      default: '',
      markup: true,
      publicAs: 'footer_html',
      label: { zh: '页脚', en: 'Footer' },
      help: { zh: '支持 HTML，留空使用默认页脚', en: 'HTML; empty for the default one' },
    }),
    'general_setting.docs_link': url({
      default: '',
      publicAs: 'docs_link',
      label: { zh: '文档地址', en: 'Documentation link' },
      help: { zh: '显示在顶部导航栏，留空则隐藏', en: 'Shown in the top navigation; hidden when empty' },
    }),
  },
);
