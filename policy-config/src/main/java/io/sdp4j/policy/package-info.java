/** Rule files in two old dialects, and every setting. */
package io.sdp4j.policy;
