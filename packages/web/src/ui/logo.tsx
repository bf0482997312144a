interface LogoMarkProps {
  /** Width and height in pixels. */
  size?: number;
}

/** The logo: a toll barrier with its arm half raised. Decorative, beside the name. */
export function LogoMark({ size = 24 }: LogoMarkProps) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="#5547d6" />
      <path d="M8.5 14.2 25.6 8.6" stroke="#fff" strokeWidth="3.6" strokeLinecap="round" />
      <path d="M14.7 12.2 19.2 10.7" stroke="#b9b1ff" strokeWidth="3.6" />
      <rect x="8" y="13" width="5" height="12" rx="1.6" fill="#fff" />
      <circle cx="10.5" cy="13.6" r="3.4" fill="#fff" />
      <circle cx="10.5" cy="13.6" r="1.3" fill="#5547d6" />
    </svg>
  );
}
