import { group, imageAddress, longText, text, toggle, url, integer } from './define.ts';
import { product } from '../product.ts';

export const notice = group(
  'general',
  { zh: '公告', en: 'Announcement' },
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
  'general',
  { zh: '个性化设置', en: 'Appearance' },
  {
    SystemName: text({
      default: product.name,
      noTags: true,
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
        en: 'An https address or a data:image; leave empty for the built-in one',
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
      help: { zh: '支持 HTML，留空使用默认页脚', en: 'HTML; leave empty for the default one' },
    }),
    'general_setting.docs_link': url({
      default: '',
      publicAs: 'docs_link',
      label: { zh: '文档地址', en: 'Documentation link' },
      help: { zh: '显示在顶部导航栏，留空则隐藏', en: 'Shown in the top navigation; hidden when empty' },
    }),
  },
);

export const updates = group(
  'logs',
  { zh: '检查更新', en: 'Updates' },
  {
    VersionCheckEnabled: toggle({
      default: false,
      requires: { filled: ['VersionCheckAddress'], error: 'version_check_not_configured' },
      label: { zh: '检查新版本', en: 'Check for updates' },
      help: {
        zh: `最多每 6 小时发送一次 GET，请求头只有 Accept: application/json、Accept-Encoding: identity 和 User-Agent: ${product.id}`,
        en: `At most every 6 hours one GET with Accept: application/json, Accept-Encoding: identity and User-Agent: ${product.id}`,
      },
    }),
    VersionCheckAddress: url({
      default: '',
      label: { zh: '发布信息地址', en: 'Release information address' },
      help: {
        zh: '返回与 GitHub 的 `releases/latest` 相同的 JSON：`tag_name`、`body`、`html_url`',
        en: 'Returns JSON like GitHub’s `releases/latest`: `tag_name`, `body`, `html_url`',
      },
    }),
  },
);

const permission = { default: 0, min: 0, max: 100, unused: true } as const;
const help = { zh: '仅为兼容而保留，没有作用', en: 'Kept for compatibility, without effect' };

/** Options that the original stores and never reads. They remain, so that a copied configuration is complete. */
export const legacy = group(
  'advanced',
  { zh: '保留选项', en: 'Kept for compatibility' },
  {
    FileUploadPermission: integer({
      ...permission,
      help,
      label: { zh: '文件上传权限', en: 'File upload permission' },
    }),
    FileDownloadPermission: integer({
      ...permission,
      help,
      label: { zh: '文件下载权限', en: 'File download permission' },
    }),
    ImageUploadPermission: integer({
      ...permission,
      help,
      label: { zh: '图片上传权限', en: 'Image upload permission' },
    }),
    ImageDownloadPermission: integer({
      ...permission,
      help,
      label: { zh: '图片下载权限', en: 'Image download permission' },
    }),
  },
);
