/**
 * The address of the provider's API. It stands apart, so that the configuration is read without loading the adapter.
 */
export const TWILIO_URL = 'https://api.twilio.com'
