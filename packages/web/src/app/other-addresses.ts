/** Another address of something that a page shows, such as a form that opens over its list. */
export interface AddressEntry {
  /** With a search, it is the page of that path with exactly that value that leads elsewhere. */
  path: string;
  /** The page, and what of it is open; `$id` stands for the part of the address of that name. */
  to: string;
  search: Record<string, string>;
}

export const otherAddresses: readonly AddressEntry[] = [
  { path: '/models', to: '/pricing', search: {} },
  { path: '/prices?tab=sync', to: '/prices/vendors', search: {} },
  // The tabs that the settings had.
  { path: '/setting?tab=operation', to: '/setting', search: { tab: 'general' } },
  { path: '/setting?tab=ratelimit', to: '/setting', search: { tab: 'groups' } },
  { path: '/setting?tab=models', to: '/setting', search: { tab: 'advanced' } },
  { path: '/setting?tab=system', to: '/setting', search: { tab: 'sign-in' } },
  { path: '/setting?tab=other', to: '/setting', search: { tab: 'general' } },
  { path: '/channel/add', to: '/channel', search: { edit: 'new' } },
  { path: '/channel/edit/$id', to: '/channel', search: { edit: '$id' } },
  { path: '/user/add', to: '/user', search: { edit: 'new' } },
  { path: '/user/edit/$id', to: '/user', search: { edit: '$id' } },
  // Without an id it is the form of one's own account.
  { path: '/user/edit', to: '/personal', search: {} },
];
