import { group, integer } from './define.ts';

const permission = { default: 0, min: 0, max: 100, unused: true } as const;
const help = { zh: '仅为兼容而保留，没有作用', en: 'Kept for compatibility, without effect' };

/** Options that the original stores and never reads: kept, so that a copied configuration loses nothing. */
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
