/** Refusals of the modes of a site (docs/compatibility.md#modes). */
export const modeErrors = {
  // The status is the one that consoles of the original tell as "a demo".
  demo_site: {
    status: 405,
    zh: '本站仅作演示之用，无法进行此操作',
    en: 'This is a demo site: this cannot be done here',
  },
} as const;
