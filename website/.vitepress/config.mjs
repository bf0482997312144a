// Configuration of the generator. website/build.ts stages the pages and the menu.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const staged = join(import.meta.dirname, '../../dist/website');
const { name, base, menus } = JSON.parse(readFileSync(join(staged, 'site.json'), 'utf8'));

/**
 * Words for the search: runs of letters and digits; Chinese text by pairs of characters, because it has no spaces. It runs in
 * the browser too, so it uses nothing around it.
 */
function splitWords(text) {
  return (text.toLowerCase().match(/\p{Script=Han}+|[\p{L}\p{N}_]+/gu) ?? []).flatMap((run) => {
    if (!/\p{Script=Han}/u.test(run)) return run.match(/[^\p{Script=Han}]+/gu) ?? [];
    const signs = Array.from(run);
    return signs.length === 1 ? signs : signs.slice(1).map((sign, index) => signs[index] + sign);
  });
}

const chinese = {
  sidebar: menus.zh,
  outline: { label: '本页内容' },
  docFooter: { prev: '上一页', next: '下一页' },
  darkModeSwitchLabel: '外观',
  lightModeSwitchTitle: '切换到浅色',
  darkModeSwitchTitle: '切换到深色',
  sidebarMenuLabel: '目录',
  returnToTopLabel: '回到顶部',
  langMenuLabel: '切换语言',
  skipToContentLabel: '跳到内容',
  notFound: { title: '没有这一页', quote: '地址可能写错了，或者页面已经移走。', linkText: '回到首页' },
};

const searchInChinese = {
  button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
  modal: {
    displayDetails: '显示详情',
    resetButtonTitle: '清除',
    backButtonTitle: '关闭',
    noResultsText: '没有结果：',
    footer: { selectText: '选择', navigateText: '移动', closeText: '关闭' },
  },
};

export default {
  base,
  title: name,
  srcDir: join(staged, 'pages'),
  outDir: join(import.meta.dirname, '../../dist/docs'),
  cacheDir: join(staged, 'cache'),
  locales: {
    root: { label: 'English', lang: 'en', themeConfig: { sidebar: menus.en, outline: { level: [2, 3] } } },
    zh: { label: '简体中文', lang: 'zh-Hans', link: '/zh/', themeConfig: chinese },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        miniSearch: { options: { tokenize: splitWords } },
        locales: { zh: { translations: searchInChinese } },
      },
    },
  },
  // Each page names its Markdown twin.
  transformHead: ({ pageData }) => [
    ['link', { rel: 'alternate', type: 'text/markdown', href: base + pageData.relativePath }],
  ],
};
