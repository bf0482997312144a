import { text } from './kinds.ts';

/** Addresses of the sites for third-party sign-in; changed only for private installations and tests. */
export const signInVariables = {
  turnstileUrl: text('TURNSTILE_URL', {
    fallback: 'https://challenges.cloudflare.com',
    meaning: "Origin of the human check's service.",
  }),
  githubUrl: text('GITHUB_URL', {
    fallback: 'https://github.com',
    meaning: 'Origin of GitHub, or of a GitHub Enterprise server, for signing in.',
  }),
  githubApiUrl: text('GITHUB_API_URL', {
    fallback: 'https://api.github.com',
    meaning: "Address of GitHub's API, for signing in.",
  }),
  linuxdoUrl: text('LINUXDO_URL', {
    fallback: 'https://connect.linux.do',
    meaning: 'Origin of Linux DO Connect, for signing in.',
  }),
  discordUrl: text('DISCORD_URL', {
    fallback: 'https://discord.com',
    meaning: 'Origin of Discord, for signing in.',
  }),
  telegramUrl: text('TELEGRAM_URL', {
    fallback: 'https://oauth.telegram.org',
    meaning: "Origin of Telegram's log-in page.",
  }),
};
