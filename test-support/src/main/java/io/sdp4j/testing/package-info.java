/** Code that the tests of several modules share. */
package io.sdp4j.testing;
