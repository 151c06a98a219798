/** Every request looks up the session and every screen shows the feeds' state: these short queries fail early. */
export const quickTimeoutMs = 2_500;
