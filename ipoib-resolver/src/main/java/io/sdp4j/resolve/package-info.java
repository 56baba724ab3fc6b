/** Which fabrics may reach an address, and why not. */
package io.sdp4j.resolve;
