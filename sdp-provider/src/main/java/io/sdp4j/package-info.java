/** The implementation of the public API, over a switch of its own. */
package io.sdp4j;
